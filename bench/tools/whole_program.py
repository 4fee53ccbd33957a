#!/usr/bin/env python3
"""Measurements of gpuminer as a whole, from outside.

Rate:      `gpuminer mine` with one thread against the bare kernel on the same hardware thread, alternately; the
           ratio of the medians says what partition, checker, clocks and progress cost. A clock that drifts by
           several percent from second to second blurs that; the share of mine's time that its worker spent inside
           the kernel (by the cycle counter, from mine's own report) does not depend on the clock.
Start-up:  from the process's start to its end for a `gpuminer grind` whose first hashes already meet the target.
Stop:      from SIGINT to the end of a `gpuminer mine` that would go on for ever.

On a machine with other work: as root (or with CAP_SYS_NICE) everything runs with real-time scheduling (SCHED_RR),
so that other processes wait. Without that privilege, rates are per second of CPU time instead of elapsed time
(start-up included, so use long runs), and start and stop times include what others took. The report says which
it was.
"""

import argparse
import json
import os
import pathlib
import platform
import resource
import signal
import statistics
import subprocess
import sys
import time

BLOCK = "100000"
NOTHING = "0" * 64  # as a target: no hash is that low
# Block 100000 with regtest's nBits: every second nonce meets them.
EASY_HEADER = ("0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd00200000000006657a9252aacd5c0b2940996ecff95"
               "2228c3067cc38d4885efb5a4ac4247e9f337221b4dffff7f20")
MASKS = {1: None, 8: "0000e000"}  # header versions by number: bits to roll


def take_real_time():
    """Whether this process, and so its children, now run with real-time scheduling."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
        return True
    except PermissionError:
        return False


def spread(values):
    ordered = sorted(values)
    at = lambda part: ordered[round(part * (len(ordered) - 1))]
    return {"p10": at(0.1), "median": statistics.median(ordered), "p90": at(0.9)}


def measured_rate(command, affinity, real_time, expected_exit):
    """Hashes per second as the command reports them (where others may interfere: per second of its CPU time), and
    the share of the time that was spent inside the kernel, if the command counts cycles."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pin = (lambda: os.sched_setaffinity(0, affinity)) if affinity else None
    process = subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=pin)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != expected_exit:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode} instead of {expected_exit}")
    document = json.loads(process.stdout)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    inside = None
    if document.get("tsc_hz"):
        # null: the time was over before the device had begun, as it may be on a busy machine.
        cycles = sum(device["cycles_total"] or 0 for device in document["devices"])
        inside = cycles / document["tsc_hz"] / document["seconds"]
    return document["hash_rate"] if real_time else document["hashes"] / cpu_seconds, inside


def measure_rate(options, versions, real_time):
    mine = [options.gpuminer, "mine", BLOCK, "--target", NOTHING, "--time-limit", str(options.seconds),
            "--threads", "1", "--isa", options.isa, "--cpu-affinity", str(options.cpu), "--json", "-q"]
    if real_time:
        mine += ["--cpu-priority", "3"]  # from 3 on a worker keeps the scheduling it was started with
    if MASKS[versions]:
        mine += ["--roll-versions", MASKS[versions]]
    bare = [options.bare, options.isa, str(versions), str(options.seconds)]
    # The worker is pinned by --cpu-affinity; the main thread runs where there is room, as it does for users.
    run_whole = lambda: measured_rate(mine, None, real_time, 3)
    run_bare = lambda: measured_rate(bare, {options.cpu}, real_time, 0)
    whole_runs, bare_runs = [], []
    for i in range(options.rounds):  # A B, B A, A B, …: a steady drift cancels
        if i % 2 == 0:
            whole_runs.append(run_whole())
        bare_runs.append(run_bare())
        if i % 2 == 1:
            whole_runs.append(run_whole())
    whole_rates, bare_rates = [rate for rate, _ in whole_runs], [rate for rate, _ in bare_runs]
    inside = [share for _, share in whole_runs if share is not None]
    return {"versions": versions, "whole": spread(whole_rates), "bare": spread(bare_rates),
            "ratio_of_medians": statistics.median(whole_rates) / statistics.median(bare_rates),
            "ratio_of_pairs": spread([whole / bare for whole, bare in zip(whole_rates, bare_rates)]),
            "share_inside_kernel": spread(inside) if inside else None}


def measure_start(command, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return spread(times)


def measure_stop(options, runs):
    times = []
    for _ in range(runs):
        process = subprocess.Popen([options.gpuminer, "mine", BLOCK, "--target", NOTHING, "-q"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.3)  # by then it is searching
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        process.wait()
        times.append(time.perf_counter() - start)
        if process.returncode != 130:
            sys.exit(f"gpuminer ended with {process.returncode} after SIGINT, instead of 130")
    return spread(times)


def default_isa(gpuminer):
    """What gpuminer itself takes on this machine: from the first device's name, "cpu:avx512#0"."""
    process = subprocess.run([gpuminer, "devices", "--json"], stdout=subprocess.PIPE, check=True)
    names = [device["name"] for device in json.loads(process.stdout)["devices"] if device["backend"] == "cpu"]
    return names[0][len("cpu:"):].split("#")[0]


def version_of(gpuminer):
    process = subprocess.run([gpuminer, "--version"], stdout=subprocess.PIPE, text=True, check=True)
    return process.stdout.strip().replace("\n", ", ")


def cpu_name():
    first = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}
    return f"{fields.get('model name')} (family {fields.get('cpu family')} model {fields.get('model')})"


def print_text(report):
    for name, value in report["context"].items():
        print(f"{name:<12} {value}")
    print("\nMedians; in brackets the values that 10 % and 90 % of the runs stayed below.")
    for rate in report["rates"]:
        show = lambda figure: f"{figure['median'] / 1e6:8.3f} ({figure['p10'] / 1e6:.3f}–{figure['p90'] / 1e6:.3f}) MH/s"
        print(f"\n{rate['versions']} version{'s' if rate['versions'] > 1 else ''}, one thread")
        print(f"  bare kernel    {show(rate['bare'])}")
        pairs, inside = rate["ratio_of_pairs"], rate["share_inside_kernel"]
        print(f"  gpuminer mine  {show(rate['whole'])}: {100 * rate['ratio_of_medians']:.2f} % of the bare kernel"
              f" (single pairs {100 * pairs['p10']:.1f}–{100 * pairs['p90']:.1f} %)")
        if inside:
            print(f"  of its time inside the kernel {100 * inside['median']:.2f}"
                  f" ({100 * inside['p10']:.2f}–{100 * inside['p90']:.2f}) %")
    print()
    for name, key in (("start to first hash and end, grind", "start_seconds"),
                      ("the same for /bin/true", "start_seconds_of_true"), ("SIGINT to end", "stop_seconds")):
        figure = report[key]
        print(f"{name:<36} {1e3 * figure['median']:7.1f} ({1e3 * figure['p10']:.1f}–{1e3 * figure['p90']:.1f}) ms")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuminer", default="build/release/gpuminer", help="the program (default: %(default)s)")
    parser.add_argument("--bare", default="build/release/gpuminer-bench-bare",
                        help="the bare kernel (default: %(default)s)")
    parser.add_argument("--isa", help="instruction set (default: the one that gpuminer takes)")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)),
                        help="hardware thread to measure on (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="length of each run (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each kind (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=100, help="start-ups to measure (default: %(default)s)")
    parser.add_argument("--stops", type=int, default=20, help="stops to measure (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a second or two, to see that it works")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of text")
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.rounds, options.starts, options.stops = 0.2, 1, 3, 1
    options.isa = options.isa or default_isa(options.gpuminer)
    return options


def main():
    options = parse_arguments()
    real_time = not options.quick and take_real_time()
    context = {
        "time": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": f"{os.cpu_count()} hardware threads, {platform.system()} {platform.release()}",
        "cpu": cpu_name(),
        "program": version_of(options.gpuminer),
        "isa": options.isa,
        "scheduling": "real-time (SCHED_RR), elapsed time" if real_time else "normal, rates by CPU time",
        "command": " ".join(sys.argv),
    }
    report = {
        "context": context,
        "rates": [measure_rate(options, versions, real_time) for versions in MASKS],
        "start_seconds": measure_start([options.gpuminer, "grind", EASY_HEADER], options.starts),
        "start_seconds_of_true": measure_start(["/bin/true"], options.starts),
        "stop_seconds": measure_stop(options, options.stops),
    }
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        print_text(report)


if __name__ == "__main__":
    main()
