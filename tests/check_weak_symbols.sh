#!/usr/bin/env bash
# check_weak_symbols.sh FOLDER FILE...: check of these files' objects, the per-ISA ones, for weak symbols, which they
# may not define (an object is the file's name with .o below FOLDER). The linker keeps one of several weak definitions
# of a name; were it the one that was compiled with -mavx512f, the program would run it on a machine without AVX-512.
# NM: the nm of the objects' architecture.
set -euo pipefail

folder=${1:?usage: check_weak_symbols.sh FOLDER FILE...}
: "${2:?usage: check_weak_symbols.sh FOLDER FILE...}"
bad=0
for file in "${@:2}"; do
    object=$(find "$folder" -name "$(basename "$file").o")
    if [ -z "$object" ]; then
        echo "no object of $file below $folder"
        bad=1
        continue
    fi
    # nm's letters: W and V are weak definitions, u is GNU's unique one.
    if weak=$("${NM:-nm}" --demangle --defined-only "$object" | grep -E ' [WVwvu] '); then
        echo "$object defines weak symbols; put what is in them into an anonymous namespace:"
        echo "$weak"
        bad=1
    fi
done
exit $bad
