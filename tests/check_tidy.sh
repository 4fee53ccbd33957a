#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER [--all]: a run of clang-tidy over our sources, as compiled in BUILD_FOLDER: over those that
# changed lately, or over all (tests/tidy_sources.py says which). Versions of clang-tidy warn about different things, so
# only version 14 judges.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:?usage: check_tidy.sh BUILD_FOLDER [--all]}
for tool in clang-tidy-14 clang-tidy none; do
    if [ "$tool" = none ]; then
        echo "SKIPPED: the sources are checked with clang-tidy 14, which is not installed"
        exit 77
    fi
    if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then break; fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tests/tidy_sources.py "$build" "$work" "${@:2}"
# The files of a unity build include sources, which is no mistake; what is found in those is shown.
xargs -r -P "$(nproc)" -n 1 "$tool" -p "$work" --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option \
    --checks=-bugprone-suspicious-include --header-filter='.*\.(h|hpp|cpp)$' <"$work/files" 2>&1 |
    sed -E '/^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$/d'  # most of them in system headers, not shown
echo "clang-tidy: no complaints in $(cat "$work/count") sources"
