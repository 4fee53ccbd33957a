#!/usr/bin/env bash
# check_portable.sh PROGRAM: check of a portable program. It needs no shared library but libc's own (and libstdc++ or
# libgcc), and starts; gpuminer has to list its devices as well.
set -euo pipefail

program=${1:?usage: check_portable.sh PROGRAM}
allowed='^(linux-vdso|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-x86-64|ld-linux-aarch64)\.so\.'
libraries=$(ldd "$program" | awk '{ n = split($1, part, "/"); print part[n] }')
if foreign=$(grep -vE "$allowed" <<<"$libraries"); then
    echo "$program needs shared libraries that another machine may not have:"
    echo "$foreign"
    exit 1
fi
"$program" --help
if [ "$(basename "$program")" = gpuminer ]; then "$program" devices; fi
