#!/usr/bin/env bash
# check_format.sh [--fix]: comparison of every C++ file with clang-format's output for it. Versions of clang-format
# format differently by the same rules, so only version 14 judges.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in clang-format-14 clang-format none; do
    if [ "$tool" = none ]; then
        echo "SKIPPED: the format is checked with clang-format 14, which is not installed"
        exit 77
    fi
    if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then break; fi
done

find . \( -path ./build -o -path ./.git \) -prune -o \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.cu' \) -print0 |
    if [ "${1:-}" = --fix ]; then
        xargs -0 "$tool" -i
    else
        xargs -0 "$tool" --dry-run --Werror
    fi
