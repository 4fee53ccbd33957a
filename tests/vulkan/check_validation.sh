#!/usr/bin/env bash
# check_validation.sh TEST_VULKAN: proof that the validation layer is active: it reports a deliberate mistake.
set -euo pipefail

program=${1:?usage: check_validation.sh TEST_VULKAN}
output=$("$program" '[.misuse]' 2>&1 || true)
if grep -q 'VUID-VkBufferCreateInfo-size' <<<"$output"; then exit 0; fi
layers=$(find /usr/share/vulkan /usr/local/share/vulkan /etc/vulkan -iname '*validation*.json' 2>/dev/null || true)
if [ -z "$layers" ]; then
    echo "SKIPPED: Vulkan's validation layer (vulkan-validationlayers) is not installed: the tests ran without it"
    exit 0
fi
echo "$output"
echo "the validation layer has not reported the mistake"
exit 1
