#!/usr/bin/env bash
# release.sh [--rehearse] [--no-cuda] [arm64]: all files of a release, in build/release-VERSION (docs/releasing.md). Packages are those of this
# machine's architecture and, where it is named, those for ARM64. --rehearse allows changes and a version without a date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
    printf 'release.sh: %s\n' "$*" >&2
    exit 1
}

rehearse=no
options=()  # bootstrap.sh's
presets=(release)
for argument in "$@"; do
    case $argument in
        --rehearse) rehearse=yes ;;
        --no-cuda) options+=("$argument") ;;
        arm64) presets=(release arm64) ;;
        *) die "expected --rehearse, --no-cuda or arm64, got $argument" ;;
    esac
done
version=$(sed -nE 's/^project\(gpuminer VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
heading=$(grep -m 1 "^## $version " CHANGELOG.md) || die "expected a section \"## $version (DATE)\" in CHANGELOG.md, found none"
changes=$(git status --porcelain) || die "expected a checkout of git, which the archive of the source is made of"
if [ "$rehearse" = no ]; then
    if [ -n "$changes" ]; then die "expected a checkout without changes, got some; --rehearse goes on in spite of them"; fi
    if ! [[ $heading =~ \([0-9]{4}-[0-9]{2}-[0-9]{2}\) ]]; then die "expected a date in the changelog's heading, got: $heading"; fi
fi

./bootstrap.sh package ${options[@]+"${options[@]}"}
if [ "${presets[*]}" != release ]; then
    ./bootstrap.sh arm64 ${options[@]+"${options[@]}"}  # its compiler and libraries
    cmake --preset arm64
    cmake --build --preset arm64 --target package
fi

folder=build/release-$version
rm -rf "$folder"
mkdir -p "$folder"
for preset in "${presets[@]}"; do
    find "build/$preset/packages" -maxdepth 1 -type f ! -name SHA256SUMS -exec cp -t "$folder" {} +
done
git archive --format=tar --prefix="gpuminer-$version/" HEAD | gzip -9n >"$folder/gpuminer-$version.tar.gz"
sums=$(cd "$folder" && sha256sum -- *)  # before there is a file for them, which would be one of those
printf '%s\n' "$sums" >"$folder/SHA256SUMS"

printf '\n'
cat "$folder/gpuminer-$version-changes.md"
printf '\nAll of it is in %s:\n' "$folder"
cat "$folder/SHA256SUMS"
