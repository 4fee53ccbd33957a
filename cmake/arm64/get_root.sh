#!/usr/bin/env bash
# get_root.sh FOLDER PACKAGE...: the contents of Debian's packages for ARM64 and of their dependencies, unpacked in FOLDER, for the
# preset arm64 to compile and link against and for QEMU to load libraries from, and dpkg's database of them, by which packaging/ finds
# whose files are in a program. Neither root nor a change of this system is needed: apt gets folders of its own. (Installed beside
# those of this machine, they would have to be of the very same versions.) Nothing is done where FOLDER has them already.
# Exit status 77: the distribution's servers here have no packages for ARM64.
set -euo pipefail

folder=${1:?usage: get_root.sh FOLDER PACKAGE...}
packages=("${@:2}")
complete=$folder/gpuminer-packages.txt  # written last
content="2: ${packages[*]}"             # the number: of what this script makes of packages
if [ -f "$complete" ] && [ "$(cat "$complete")" = "$content" ]; then exit; fi

new=$folder.new
rm -rf "$new"
mkdir -p "$new/apt/state/lists/partial" "$new/apt/cache/archives/partial" "$new/root/usr/lib" "$new/root/usr/bin" "$new/root/usr/sbin"
apt_folder=$(cd "$new/apt" && pwd -P)
: >"$apt_folder/status"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64
    -o Dir::State="$apt_folder/state" -o Dir::State::status="$apt_folder/status" -o Dir::Cache="$apt_folder/cache"
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=2)

echo "Downloading packages for ARM64"
"${apt[@]}" update || true  # a server that has nothing for ARM64 is no reason to stop
if ! "${apt[@]}" --simulate install --no-install-recommends "${packages[@]}" >/dev/null; then
    echo "SKIPPED: the package servers of this system offer not all of these for ARM64: ${packages[*]}"
    rm -rf "$new"
    exit 77
fi
"${apt[@]}" install --download-only --yes --no-install-recommends "${packages[@]}" >/dev/null
ln -s usr/lib usr/bin usr/sbin "$new/root/"  # as on an installed system, where the packages' /lib is /usr/lib
database=$new/root/var/lib/dpkg
mkdir -p "$database/info"
echo 1 >"$database/info/format"  # lists of `Multi-Arch: same` are named by architecture, too
for package in "$apt_folder"/cache/archives/*.deb; do
    # Without manual pages, translations and the like; of documentation the licence alone.
    dpkg-deb --fsys-tarfile "$package" |
        tar -C "$new/root" --extract --keep-directory-symlink --no-same-owner --exclude='./usr/share/[ilm]*' \
            --exclude='./usr/share/doc/*/[!c]*' --exclude='./usr/share/doc/*/c[!o]*'
    printf '%s\nStatus: install ok installed\n\n' "$(dpkg-deb --field "$package")" >>"$database/status"
    name=$(dpkg-deb --field "$package" Package)
    if [ "$(dpkg-deb --field "$package" Multi-Arch)" = same ]; then name+=:arm64; fi
    dpkg-deb --fsys-tarfile "$package" | tar --list | sed -E 's|^\./*|/|; s|(.)/$|\1|; s|^/$|/.|' >"$database/info/$name.list"
done
find "$new/root" -type l -lname '/*' | while read -r link; do  # they mean this root, not this machine's
    ln -sfrn "$new/root$(readlink "$link")" "$link"
done
rm -rf "$folder"
mv "$new/root" "$folder"
rm -rf "$new"
echo "$content" >"$complete"
