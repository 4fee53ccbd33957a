#!/usr/bin/env bash
# check_tidy.sh BUILD_FOLDER: clang-tidy finds nothing in our sources, as compiled in BUILD_FOLDER. What is
# worth a warning differs between versions of clang-tidy, so only version 14 judges. Not looked at: what is generated, the
# programs under tests/ (Catch2's macros are all it would talk about) and the files of one ISA each, which are
# instantiations of headers and thousands of printed lines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:?usage: check_tidy.sh BUILD_FOLDER}
for tool in clang-tidy-14 clang-tidy none; do
    if [ "$tool" = none ]; then
        echo "SKIPPED: the sources are checked with clang-tidy 14, which is not installed"
        exit 77
    fi
    if "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then break; fi
done

grep -oP '"file": "\K[^"]+' "$build/compile_commands.json" | sort -u |
    grep -E "^$PWD/" | grep -vE "^$PWD/(build|cmake|tests|third_party)/" | grep -vE '/(scan|sha256d64)_[^/]*$|\.cu$' |
    xargs -P "$(nproc)" -n 1 "$tool" -p "$build" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option 2>&1 |
    sed -E '/^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$/d'  # most of them in system headers, not shown
