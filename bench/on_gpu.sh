#!/usr/bin/env bash
# Everything that needs a GPU, in one command: bench/on_gpu.sh [PROGRAMS [RESULTS]]
#
#   PROGRAMS  folder with the programs of the portable build (default: build/portable). They need a driver, nothing else:
#             cmake --preset portable && cmake --build --preset portable, on any machine.
#   RESULTS   folder for what comes out (default: build/on_gpu): report.txt, on_gpu.json, a log for each step.
#
# Run it in the project's folder (the tests read tests/data). It takes less than 8 minutes and changes no setting of the
# GPU. Exit code: 0 if every step passed, 1 if one failed, 4 if there is no usable GPU.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

programs=${1:-build/portable}
results=${2:-build/on_gpu}
for program in gpuminer test_backends gpuminer-bench-gpu; do
    if [ ! -x "$programs/$program" ]; then
        echo "on_gpu.sh: $programs/$program is not there; build it with: cmake --preset portable && cmake --build --preset portable" >&2
        exit 1
    fi
done
mkdir -p "$results"
rm -f "$results"/*.log "$results"/*.json "$results"/report.txt
export XDG_CACHE_HOME=$PWD/$results/cache # tuning as on a machine that has never seen gpuminer
rm -rf "$XDG_CACHE_HOME"
exec > >(tee "$results/report.txt") 2>&1

failed=()
steps=()

# step NAME SECONDS COMMAND...: its output goes to NAME.log and, shortened, to the report.
step() {
    local name=$1 seconds=$2 start=$SECONDS status=0
    shift 2
    printf '\n== %s: %s\n' "$name" "$*"
    timeout "$seconds" "$@" >"$results/$name.log" 2>"$results/$name.err" || status=$?
    tail -n 60 "$results/$name.log"
    tail -n 10 "$results/$name.err"
    if [ ! -s "$results/$name.err" ]; then rm -f "$results/$name.err"; fi
    printf -- '-- %s: exit code %d after %d s\n' "$name" "$status" $((SECONDS - start))
    steps+=("{\"step\": \"$name\", \"exit_code\": $status, \"seconds\": $((SECONDS - start))}")
    return "$status"
}

must() { step "$@" || failed+=("$1"); }

# mine NAME ARGUMENT...: 20 seconds of work that finds nothing, on GPUs alone; 3 is the exit code of a time limit.
mine() {
    local name=$1 status=0
    shift
    step "$name" 60 "$programs/gpuminer" mine 100000 --target "$nothing" --time-limit 20 --json "$@" || status=$?
    if [ "$status" -ne 3 ] && [ "$status" -ne 2 ]; then failed+=("$name"); fi
    mv "$results/$name.log" "$results/$name.json"
}
nothing=0000000000000000000000000000000000000000000000000000000000000001

printf 'gpuminer on a GPU, %s\n%s\n' "$(date -u +'%Y-%m-%d %H:%M UTC')" "$("$programs/gpuminer" --version | head -n 2)"
if command -v nvidia-smi >/dev/null; then
    step nvidia-smi 30 nvidia-smi --format=csv --query-gpu=name,driver_version,pci.bus_id,clocks.max.sm,clocks.sm,clocks.mem,power.limit,temperature.gpu
fi
must devices 60 "$programs/gpuminer" devices
"$programs/gpuminer" devices --json >"$results/devices.json"
# The tuned first start, then a remembered one.
gpus=$(grep -oE '(cuda|opencl|vulkan):(sm_[0-9]+|gpu|discrete|integrated|virtual|accelerator)#[0-9]+' "$results/devices.log" | sort -u)
if [ -z "$gpus" ]; then
    echo "no GPU that any API can use: nothing to measure (the table above says why)"
    exit 4
fi
must tests 200 "$programs/test_backends"
for gpu in $gpus; do
    must "find-${gpu//[:#]/-}" 60 "$programs/gpuminer" mine 100000 -d "$gpu"
done
if [ -x "$programs/gpuminer-bench-pipes" ]; then
    step pipes 60 "$programs/gpuminer-bench-pipes" --json >/dev/null && mv "$results/pipes.log" "$results/pipes.json"
    must pipes-table 60 "$programs/gpuminer-bench-pipes"
fi
must variants 200 "$programs/gpuminer-bench-gpu" --counts bench/sass_counts.json --json "$results/variants.json"
# Sustained, with what the sensors say: one GPU through its fastest API, fixed and rolled, then everything at once.
first=$(head -n 1 <<<"$gpus")
mine sustained-fixed -d "$first"
mine sustained-rolled -d "$first" --roll-versions 1fffe000
mine everything --roll-versions 1fffe000

{
    printf '{"steps": [%s]' "$(IFS=,; echo "${steps[*]}")"
    for part in devices pipes variants sustained-fixed sustained-rolled everything; do
        if [ -s "$results/$part.json" ]; then printf ',\n"%s": ' "$part"; cat "$results/$part.json"; fi
    done
    echo '}'
} >"$results/on_gpu.json"

printf '\n== Summary after %d s\n' $SECONDS
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}"
    exit 1
fi
echo "every step passed; $results/on_gpu.json has the figures"
