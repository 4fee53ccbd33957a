#!/usr/bin/env bash
# release.sh [--rehearse] [--no-cuda] [PRESET...]: all files of a release, in build/release-VERSION (docs/releasing.md). Packages are those of
# the preset `release`, by bootstrap.sh, and of the presets that are named, such as arm64. --rehearse allows changes and a version without a date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
    printf 'release.sh: %s\n' "$*" >&2
    exit 1
}

rehearse=no
options=()  # bootstrap.sh's
while [[ ${1:-} == --* ]]; do
    case $1 in
        --rehearse) rehearse=yes ;;
        --no-cuda) options+=("$1") ;;
        *) die "expected --rehearse, --no-cuda or the name of a preset, got $1" ;;
    esac
    shift
done
version=$(sed -nE 's/^project\(gpuminer VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
heading=$(grep -m 1 "^## $version " CHANGELOG.md) || die "expected a section \"## $version (DATE)\" in CHANGELOG.md, found none"
if [ "$rehearse" = no ]; then
    if [ -n "$(git status --porcelain)" ]; then die "expected a checkout without changes, got some; --rehearse goes on in spite of them"; fi
    if ! [[ $heading =~ \([0-9]{4}-[0-9]{2}-[0-9]{2}\) ]]; then die "expected a date in the changelog's heading, got: $heading"; fi
fi

./bootstrap.sh package ${options[@]+"${options[@]}"}
for preset in "$@"; do
    if [ "$preset" = arm64 ]; then ./bootstrap.sh arm64 ${options[@]+"${options[@]}"}; fi  # its compiler and libraries
    cmake --preset "$preset" && cmake --build --preset "$preset" --target package
done

folder=build/release-$version
rm -rf "$folder"
mkdir -p "$folder"
for preset in release "$@"; do
    find "build/$preset/packages" -maxdepth 1 -type f ! -name SHA256SUMS -exec cp -t "$folder" {} +
done
git archive --format=tar --prefix="gpuminer-$version/" HEAD | gzip -9n >"$folder/gpuminer-$version.tar.gz"
(cd "$folder" && sha256sum ./* | sed 's| \./| |' >SHA256SUMS)

printf '\n'
cat "$folder/gpuminer-$version-changes.md"
printf '\nAll of it is in %s:\n' "$folder"
cat "$folder/SHA256SUMS"
