#!/usr/bin/env bash
# get_libraries.sh FOLDER: the libraries that are not headers alone, compiled for Windows from sources as Debian has them into FOLDER for the
# preset windows to link: OpenSSL, libpsl, libsodium and QR-Code-generator, their licences, and a database of dpkg's of them, by which
# packaging/ finds what is in a program. Neither root nor a change of this system is needed: apt gets folders of its own. Nothing is
# done where FOLDER has them already.
# Exit status 77: the distribution's servers here do not have those sources.
set -euo pipefail

folder=${1:?usage: get_libraries.sh FOLDER}
# Source package, Debian's version, the upstream archive and that of Debian's patches with the checksums that Debian's signed lists have
# for them, homepage. A library whose patches the servers do not have is built without them, and is then known by upstream's version
# alone. (Debian's of OpenSSL and of QR-Code-generator were not to be had when this was written: only the others' were tried.)
sources=(
    "openssl 3.0.22-1~deb12u2 openssl_3.0.22.orig.tar.gz 67ebca7e50d17383028045486653492195b83db95f8558709701bb47b5c1ef81 openssl_3.0.22-1~deb12u2.debian.tar.xz 48971306c5df8124daea7f2bd0de2be7d711e18f2f53711c11327293732e42aa https://www.openssl.org/"
    "libpsl 0.21.2-1 libpsl_0.21.2.orig.tar.xz 11e34380f2c81d6e72c710464aae3b680df4ddcc1007826c630fb03c7ca6aa54 libpsl_0.21.2-1.debian.tar.xz 78327367c83ce2dc6a8404f479a7589eacb0266f1d4a25619d5f6f00f98ab7b6 https://github.com/rockdaboot/libpsl"
    "libsodium 1.0.18-1+deb12u1 libsodium_1.0.18.orig.tar.gz d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4 libsodium_1.0.18-1+deb12u1.debian.tar.xz f410474e46346b06b162defa05b1be26906aeed6cf309e3d4ebe30b4d1350733 https://www.libsodium.org/"
    "qr-code-generator 1.8.0-1.1 qr-code-generator_1.8.0.orig.tar.gz 2ec0a4d33d6f521c942eeaf473d42d5fe139abcfa57d2beffe10c5cf7d34ae60 qr-code-generator_1.8.0-1.1.debian.tar.xz eeb8a4ff92bc8374ba31b81b81c60890f67b7311fd702086eb71d5e0c2f18839 https://www.nayuki.io/page/qr-code-generator-library"
)
# What loads shared libraries is of no use in a program of one file, and a miner takes neither old ciphers and protocols nor what
# serves certificates. WIN_CORE: without windows on the screen, as the library that shows them, user32.dll, is not to be loaded.
openssl_options=(mingw64 no-shared no-tests no-engine no-legacy no-module no-dso no-ui-console no-autoload-config no-aria no-bf
    no-camellia no-cast no-cmp no-cms no-ct no-dsa no-dtls no-gost no-idea no-md4 no-mdc2 no-rc2 no-rc4 no-rmd160 no-scrypt no-seed
    no-sm2 no-sm3 no-sm4 no-srp no-srtp no-ssl3 no-tls1 no-tls1_1 no-ts no-whirlpool -DOPENSSL_SYS_WIN_CORE)
# Wide vectors are moved as if unaligned, as stacks are not aligned that far (cpu/CMakeLists.txt).
flags=(-fstack-protector-strong -Wa,-muse-unaligned-vector-move)
suffixes=/usr/share/publicsuffix/public_suffix_list.dat
compiler=x86_64-w64-mingw32-
compiler_packages=$(dpkg-query -W gcc-mingw-w64-x86-64-posix mingw-w64-x86-64-dev || true)
complete=$folder/gpuminer-libraries.txt  # written last
content="3: ${sources[*]}; ${openssl_options[*]}; ${flags[*]}; $(sha256sum <$suffixes); ${compiler_packages//[$'\t\n']/ }"  # the number: of what this script makes of them
if [ -f "$complete" ] && [ "$(cat "$complete")" = "$content" ]; then exit; fi

new=$folder.new
rm -rf "$new"
mkdir -p "$new/apt/state/lists/partial" "$new/apt/cache/archives/partial" "$new/apt/sources" "$new/sources"
new=$(cd "$new" && pwd -P)
root=$new/root
database=$root/var/lib/dpkg
mkdir -p "$root/usr/include" "$root/usr/lib" "$database/info"
echo 1 >"$database/info/format"
: >"$database/status"

# Lists of sources in place of this system's lists of packages.
: >"$new/apt/none"
: >"$new/apt/status"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    if [ ! -f "$list" ]; then continue; fi
    case $list in
        *.list) sed -nE 's/^deb /deb-src /p' "$list" >"$new/apt/sources/$(basename "$list")" ;;
        *.sources) sed -E 's/^Types:.*/Types: deb-src/' "$list" >"$new/apt/sources/$(basename "$list")" ;;
    esac
done
# (A file of APT_CONFIG would be read before those of this system.)
echo "#clear APT::Update::Pre-Invoke; #clear APT::Update::Post-Invoke; #clear APT::Update::Post-Invoke-Success;" >"$new/apt/no-hooks"
apt=(apt-get -qq --config-file "$new/apt/no-hooks" -o Dir::State="$new/apt/state" -o Dir::State::status="$new/apt/status" -o Dir::Cache="$new/apt/cache"
    -o Dir::Etc::sourcelist="$new/apt/none" -o Dir::Etc::sourceparts="$new/apt/sources"
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=2)
echo "Downloading the sources of libraries for Windows"
"${apt[@]}" update || true  # a server that does not answer is no reason to stop
# get WHAT: that archive of $name, in the folder sources. check_sum ARCHIVE CHECKSUM: ends with an error where it is another.
get() { (cd "$new/sources" && "${apt[@]}" source --download-only "--$1-only" "$name=$version" >/dev/null); }
check_sum() { (cd "$new/sources" && sha256sum --check --quiet <<<"$2  $1"); }

# patch_sources ARCHIVE: by Debian's patches.
patch_sources() {
    local patch
    tar -C "$new/sources/$name" --extract --no-same-owner -f "$new/sources/$1"
    grep -o '^[^# ]\+' "$new/sources/$name/debian/patches/series" | while IFS= read -r patch; do
        patch -d "$new/sources/$name" -p1 --quiet --no-backup-if-mismatch -i "debian/patches/$patch"
    done
}

declare -A versions  # of what is built
for line in "${sources[@]}"; do
    read -r name version archive checksum patches patches_checksum _ <<<"$line"
    if ! get tar; then
        echo "SKIPPED: the package servers of this system do not offer the source of $name $version (Debian 12's); another" \
            "version is a line of cmake/windows/get_libraries.sh"
        rm -rf "$new"
        exit 77
    fi
    check_sum "$archive" "$checksum"
    mkdir "$new/sources/$name"
    tar -C "$new/sources/$name" --extract --strip-components=1 --no-same-owner -f "$new/sources/$archive"
    versions[$name]=$version
    if get diff 2>"$new/$name.log"; then
        check_sum "$patches" "$patches_checksum"
        patch_sources "$patches"
    else
        versions[$name]=${version%-*}
        echo "The servers do not offer Debian's patches of $name $version: it is ${versions[$name]} as published by its authors"
    fi
done

# Compilers would have the day in their objects.
SOURCE_DATE_EPOCH=$(stat --format %Y "$new/sources/openssl/VERSION.dat")
export SOURCE_DATE_EPOCH
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

build_openssl() {
    CC=gcc-posix perl ./Configure "${openssl_options[@]}" "${flags[@]}" --cross-compile-prefix=$compiler --prefix=/gpuminer --openssldir=/gpuminer
    make -j"$jobs" build_generated libcrypto.a libssl.a
    cp libcrypto.a libssl.a "$root/usr/lib/"
    cp -R include/openssl "$root/usr/include/"
    licence=(LICENSE.txt)
}

build_libpsl() {
    version=${version%-*}
    python3 src/psl-make-dafsa --output-format=cxx+ "$suffixes" suffixes_dafsa.h
    sed -e "s/@LIBPSL_VERSION@/$version/; s/@LIBPSL_VERSION_MAJOR@/0/; s/@LIBPSL_VERSION_MINOR@/21/; s/@LIBPSL_VERSION_PATCH@/2/" \
        -e 's/@LIBPSL_VERSION_NUMBER@/0x001502/' include/libpsl.h.in >include/libpsl.h
    for part in psl lookup_string_in_fixed_set; do
        ${compiler}gcc-posix -O2 "${flags[@]}" -D_WIN32_WINNT=0x0a00 -DPSL_STATIC -DENABLE_BUILTIN -DPACKAGE_VERSION="\"$version\"" -Iinclude -I. -c src/$part.c
    done
    ${compiler}ar rcsD "$root/usr/lib/libpsl.a" psl.o lookup_string_in_fixed_set.o
    cp include/libpsl.h "$root/usr/include/"
    licence=(COPYING src/LICENSE.chromium)
}

build_libsodium() {
    local folder=src/libsodium source name
    sed -e 's/@VERSION@/1.0.18/; s/@SODIUM_LIBRARY_VERSION_MAJOR@/10/; s/@SODIUM_LIBRARY_VERSION_MINOR@/3/; s/@SODIUM_LIBRARY_MINIMAL_DEF@//' \
        $folder/include/sodium/version.h.in >$folder/include/sodium/version.h
    find $folder -name '*.c' -print0 | while IFS= read -r -d '' source; do
        name=${source#"$folder/"}
        printf '%s\0%s\0' "${name//\//_}.o" "$source"
    done | xargs -0 -n 2 -P "$jobs" ${compiler}gcc-posix -O2 "${flags[@]}" -w -DCONFIGURED -DSODIUM_STATIC -DNATIVE_LITTLE_ENDIAN \
        -I$folder/include/sodium -I$folder/include -c -o
    ${compiler}ar rcsD "$root/usr/lib/libsodium.a" ./*.c.o
    cp -R $folder/include/sodium.h $folder/include/sodium "$root/usr/include/"
    licence=(LICENSE)
}

build_qr_code_generator() {
    ${compiler}g++-posix -O2 "${flags[@]}" -std=c++17 -c cpp/qrcodegen.cpp
    ${compiler}ar rcsD "$root/usr/lib/libqrcodegencpp.a" qrcodegen.o
    cp cpp/qrcodegen.hpp "$root/usr/include/"
    sed -n '/^Copyright ©/,$p' Readme.markdown >licence
    licence=(licence)
}

echo "Building them for Windows: about three minutes of one core, once"
trap 'tail -n 20 "$new/$name.log" >&2' ERR
for line in "${sources[@]}"; do
    read -r name version _ _ _ _ homepage <<<"$line"
    find "$root" ! -type d | sort >"$new/before"
    (
        cd "$new/sources/$name"
        "build_${name//-/_}"
        mkdir -p "$root/usr/share/doc/$name"
        cat "${licence[@]}" >"$root/usr/share/doc/$name/copyright"
    ) >"$new/$name.log" 2>&1
    find "$root" ! -type d | sort | comm -13 "$new/before" - | sed "s|^$root||" >"$database/info/$name.list"
    printf 'Package: %s\nStatus: install ok installed\nArchitecture: source\nVersion: %s\nMaintainer: none\nDescription: for Windows\nHomepage: %s\n\n' \
        "$name" "${versions[$name]}" "$homepage" >>"$database/status"
done
rm -rf "$folder"
mv "$root" "$folder"
rm -rf "$new"
echo "$content" >"$complete"
