#!/usr/bin/env bash
# All tests and measurements that need a GPU, in one command: bench/on_gpu.sh [PROGRAMS [RESULTS]]
#
#   PROGRAMS  folder with the programs of the portable build (default: build/portable). They need a driver, nothing else:
#             cmake --preset portable && cmake --build --preset portable, on any machine.
#   RESULTS   folder for what comes out (default: build/on_gpu), new or from an earlier run: report.txt, on_gpu.json, and
#             what each step printed.
#
# It takes less than 8 minutes and changes no setting of the GPU. Exit code: 0 if every step passed, 1 if one failed, 4 if
# there is no usable GPU. With ON_GPU_SOFTWARE=1 it takes PoCL and lavapipe for GPUs, to try the script itself.
set -uo pipefail

mkdir -p "${2:-build/on_gpu}" && results=$(cd "${2:-build/on_gpu}" && pwd) || exit 1
programs=$(cd "${1:-build/portable}" 2>/dev/null && pwd) || programs=${1:-build/portable}
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
for program in gpuminer test_backends gpuminer-bench-gpu; do
    if [ ! -x "$programs/$program" ]; then
        echo "on_gpu.sh: $programs/$program is not there; build it: cmake --preset portable && cmake --build --preset portable" >&2
        exit 1
    fi
done
if [ -n "$(ls -A "$results")" ] && [ ! -f "$results/steps/report-of-on_gpu" ]; then
    echo "on_gpu.sh: $results holds other things; expected a new folder, or one of an earlier run" >&2
    exit 1
fi
steps=$results/steps
rm -rf "$steps" && mkdir -p "$steps" && touch "$steps/report-of-on_gpu" || exit 1
cache=$(mktemp -d) || exit 1 # tuning as on a machine that has never seen gpuminer
trap 'rm -rf "$cache"' EXIT
export XDG_CACHE_HOME=$cache/gpuminer
exec > >(tee "$results/report.txt") 2>&1

kSeconds=470 # for all steps together
kinds='sm_[0-9]+|gpu|accelerator|discrete|integrated|virtual|other'
software=() everything=()
if [ "${ON_GPU_SOFTWARE:-0}" = 1 ]; then
    kinds+='|cpu' software=(--software)
fi
failed=()
done_steps=()

# step NAME SECONDS COMMAND...: its output goes to steps/NAME.log and, shortened, to the report.
step() {
    local name=$1 seconds=$2 start=$SECONDS status=0
    shift 2
    if [ "$seconds" -gt $((kSeconds - SECONDS)) ]; then seconds=$((kSeconds - SECONDS)); fi
    if [ "$seconds" -lt 1 ]; then seconds=1; fi
    printf '\n== %s: %s\n' "$name" "$*"
    timeout --kill-after=5 "$seconds" "$@" >"$steps/$name.log" 2>"$steps/$name.err" || status=$?
    tail -n 60 "$steps/$name.log"
    tail -n 10 "$steps/$name.err"
    printf -- '-- %s: exit code %d after %d s\n' "$name" "$status" $((SECONDS - start))
    done_steps+=("{\"step\": \"$name\", \"exit_code\": $status, \"seconds\": $((SECONDS - start))}")
    return "$status"
}

must() { step "$@" || failed+=("$1"); }

# sustained NAME ARGUMENT...: 20 seconds of work that finds nothing, with what the sensors say; 3 is the exit code of a
# time limit, 2 of a range that is searched.
sustained() {
    local name=$1 status=0 nothing=0000000000000000000000000000000000000000000000000000000000000001
    shift
    step "$name" 60 "$programs/gpuminer" mine 100000 --target $nothing --time-limit 20 --json "$@" || status=$?
    if [ "$status" -ne 3 ] && [ "$status" -ne 2 ]; then failed+=("$name"); fi
    cp "$steps/$name.log" "$steps/$name.json"
}

# The names of the devices that can be used; with "yes" those that are used by default.
gpus() {
    grep -E " [a-z]+:($kinds)#[0-9]+ .* (${1:-yes|no}) *$" "$steps/devices.log" | grep -oE " [a-z]+:($kinds)#[0-9]+" |
        tr -d ' '
}

printf 'gpuminer on a GPU, %s\n%s\n' "$(date -u +'%Y-%m-%d %H:%M UTC')" "$("$programs/gpuminer" --version | head -n 2)"
if command -v nvidia-smi >/dev/null; then
    step nvidia-smi 30 nvidia-smi --format=csv \
        --query-gpu=name,driver_version,pci.bus_id,clocks.max.sm,clocks.sm,clocks.mem,power.limit,temperature.gpu
fi
must devices 60 "$programs/gpuminer" devices
"$programs/gpuminer" devices --json >"$steps/devices.json"
if [ -z "$(gpus)" ]; then
    printf '\nno GPU that any API can use: nothing to measure (the table above says why)\n'
    exit 4
fi
cuda=$(gpus | grep cuda | head -n 1)
# Through every API: the first start tunes, the second one remembers.
for gpu in $(gpus); do
    must "first-${gpu//[:#]/-}" 40 "$programs/gpuminer" mine 100000 -d "$gpu"
    must "again-${gpu//[:#]/-}" 40 "$programs/gpuminer" mine 100000 -d "$gpu"
done
must tests 150 "$programs/test_backends"
if [ -n "$cuda" ]; then  # again with PTX, which the driver compiles, in place of machine code
    must tests-ptx 100 env CUDA_FORCE_PTX_JIT=1 "$programs/test_backends" '*backend::Cuda'
    must first-ptx 40 env CUDA_FORCE_PTX_JIT=1 "$programs/gpuminer" mine 100000 -d "$cuda"
fi
if [ -n "$cuda" ] && [ -x "$programs/gpuminer-bench-pipes" ]; then
    must pipes 40 "$programs/gpuminer-bench-pipes"
    "$programs/gpuminer-bench-pipes" --json >"$steps/pipes.json"
fi
must variants 120 "$programs/gpuminer-bench-gpu" ${software[@]+"${software[@]}"} --json "$steps/variants.json"
if [ -n "$cuda" ]; then
    must variants-ptx 80 env CUDA_FORCE_PTX_JIT=1 "$programs/gpuminer-bench-gpu" --quick --json "$steps/variants-ptx.json"
fi
# One GPU through the API that gpuminer takes by itself, now that all are tuned, fixed and rolled; then everything at once.
"$programs/gpuminer" devices >"$steps/devices.log"
first=$({ gpus yes; gpus; } | head -n 1)
if [ ${#software[@]} -gt 0 ]; then  # software devices are used where their backend is named
    everything=(--backend "cpu,$(gpus | cut -d : -f 1 | sort -u | paste -sd ,)")
fi
sustained sustained-fixed -d "$first"
sustained sustained-rolled -d "$first" --roll-versions 1fffe000
sustained everything --roll-versions 1fffe000 ${everything[@]+"${everything[@]}"}

{
    printf '{"steps": [%s]' "$(IFS=,; echo "${done_steps[*]}")"
    for part in devices pipes variants variants-ptx sustained-fixed sustained-rolled everything; do
        if [ -s "$steps/$part.json" ]; then printf ',\n"%s": ' "$part"; cat "$steps/$part.json"; fi
    done
    echo '}'
} >"$results/on_gpu.json"

printf '\n== Summary after %d s\n' $SECONDS
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}"
    exit 1
fi
echo "every step passed; $results/on_gpu.json has the figures"
