"""A made-up run with every workload, in the format of `gpuminer bench --json`, for the tests of the report."""

import copy
import math
import random
import statistics

THREADS = 3
random_noise = random.Random(7)


def with_figures(made):
    """The measurement with the figures that follow from its rounds."""
    rounds = made["rounds"]
    made |= {"count": len(rounds), "median": None, "p10": None, "p90": None, "drift": None}
    if rounds:
        taken, third = [entry["value"] for entry in rounds], max(len(rounds) // 3, 1)
        first, last, values = statistics.median(taken[:third]), statistics.median(taken[-third:]), sorted(taken)
        made |= {"median": statistics.median(values), "p10": values[round(0.1 * (len(rounds) - 1))],
                 "p90": values[round(0.9 * (len(rounds) - 1))],
                 "drift": {"window_seconds": rounds[third - 1]["at"] - rounds[0]["at"], "first": first, "last": last,
                           "ratio": last / first if first else 1}}
    return made


def measurement(workload, name, unit, value, details=None, *, rounds=9, step=2.0, noise=0.004, drift=0.0):
    """`rounds` rounds around `value`, that end `drift` (a share) away from where they began."""
    taken = [{"at": round(1 + i * step, 3),
              "value": value * (1 + drift * i / max(rounds - 1, 1)) * math.exp(random_noise.gauss(0, noise))}
             for i in range(rounds)]
    return with_figures({"workload": workload, "name": name, "unit": unit,
                         "better": "higher" if unit.endswith("/s") else "lower", "rounds": taken,
                         "details": details or {}})


def thread(name, cycles, piece=None):
    """A CPU thread's cycles; `piece`: the number of its piece of 2^32 nonces."""
    hashes = 2**32 // THREADS
    entry = {"name": name, "hashes": hashes, "seconds": hashes * cycles / 2.45e9, "avg": cycles, "max": cycles * 1.31,
             "min": cycles * 0.985, "cycles": round(hashes * cycles)}
    return entry if piece is None else entry | {"start": piece * hashes, "end": (piece + 1) * hashes - 1}


def scan():
    gpu = "cuda:sm_90#0"
    threads = [thread(f"cpu:avx512#{i}", 65.4 + i) for i in range(THREADS)]
    rows = [("cpu:avx512#0", 37.4e6, 0.951, 65.5, None, None, 0),
            ("3 CPU threads", 109.1e6, None, 67.2, 880, 96, -0.061),
            ("opencl:cpu#0", 21.9e6, None, None, None, None, 0), (gpu, 5.21e9, 0.931, None, 118.2, 616, -0.012),
            ("all", 5.33e9, None, 67.4, 133.6, 712, -0.014)]
    for name, rate, share, cycles, joules, watts, drift in rows:
        for form, gain in (("fixed", 1), ("rolled", 1.155)):
            details = {"rate_with_host": rate * gain * 0.997, "operations_per_hash": 1880 if share and cycles else None,
                       "share_of_limit": share, "limit": rate * gain / share if share else None,
                       "cycles_per_hash": cycles / gain if cycles else None,
                       "joules_per_gh": joules / gain if joules else None, "power_w": watts,
                       "max_temperature_c": 71.0 if watts else None, "versions": 1 if gain == 1 else 8}
            if name == gpu:
                details["setup"] = "256 threads, adds"
            if name == "3 CPU threads":
                details["threads"] = threads
            yield measurement("scan", f"{name} {form}", "hashes/s", rate * gain, details, drift=drift)


def kernels():
    for isa, rate, share in [("scalar", 3.1e6, None), ("sse41", 5.8e6, 0.93), ("avx2", 12.7e6, 0.949),
                             ("avx512", 34.1e6, 0.951)]:
        yield measurement("kernel", f"{isa} fixed", "hashes/s", rate, rounds=61, step=0.02, details={
            "isa": isa, "versions": 1, "cycles_per_hash": 2.45e9 / rate, "share_of_limit": share})


def ladder():
    steps = [("naive", 1.43e6, "", "80 bytes put together and hashed from scratch"),
             ("midstate", 2.46e6, "naive", "first 64 bytes hashed once per job"),
             ("early rounds", 2.48e6, "midstate", "rounds 0 to 2 of block 2 once per job"),
             ("constant schedule", 2.62e6, "early rounds", "padding words folded into constants"),
             ("early exit", 2.96e6, "constant schedule", "only the last word of the hash computed"),
             ("generated", 3.05e6, "early exit", "the generated program"),
             ("SSE4.1", 5.78e6, "generated", "4 nonces per vector"),
             ("AVX2", 12.66e6, "SSE4.1", "8 nonces per vector"), ("AVX-512", 34.12e6, "AVX2", "16 nonces per vector"),
             ("version rolling", 39.54e6, "AVX-512", "8 versions share a nonce's schedule")]
    rates = {name: rate for name, rate, _, _ in steps}
    for name, rate, before, remark in steps:
        yield measurement("ladder", name, "hashes/s", rate, rounds=101, step=0.011, noise=0.012, details={
            "remark": remark, "gain": rate / rates[before] if before else 1, "gain_in_all": rate / 1.43e6,
            "compared_to": before})


def batches():
    for size in [1, 2, 3, 4, 8, 12, 16, 17, 32, 64, 256, 1024, 4096, 16384, 65536]:
        nanoseconds = 36.5 + 68 / size if size >= 4 else 110
        details = {"inputs_per_second": 1e9 / nanoseconds, "nanoseconds_one_at_a_time": 111.5,
                   "gain": 111.5 / nanoseconds}
        yield measurement("sha256d64", f"batch:{size}", "ns per 64-byte input", nanoseconds, details, rounds=31)
    for kernel, nanoseconds, share in [("avx512:16", 36.4, 0.947), ("avx2:8", 92.5, 0.951), ("shani:2", 55.1, 0.902)]:
        details = {"inputs_per_second": 1e9 / nanoseconds, "share_of_limit": share}
        yield measurement("sha256d64", kernel, "ns per 64-byte input", nanoseconds, details, rounds=31, step=0.05)


def latency():
    for name, unit, value in [("3 CPU threads new job", "ms per new job", 0.21),
                              ("3 CPU threads new job, last device", "ms per new job", 0.34),
                              ("3 CPU threads stop", "ms per stop", 3.9),
                              ("cuda:sm_90#0 new job", "ms per new job", 0.82),
                              ("cuda:sm_90#0 stop", "ms per stop", 11.4)]:
        yield measurement("latency", name, unit, value, rounds=30, step=0.1, noise=0.2)


def scheduler():
    for devices, cost in [(1, 9.4), (10, 8.1), (100, 8.9), (1000, 13.2)]:
        details = {"devices": devices, "hashes_per_second": devices * 1e11, "batches_per_second": devices * 10.2,
                   "share_of_one_core": devices * 10.2 * cost * 1e-6, "share_of_stated_rate": 0.9991}
        yield measurement("scheduler", f"{devices} devices of 100 GH/s", "µs of host time per batch", cost, details)


def operating_system():
    for name, unit, value in [("create thread", "µs per thread", 11.3), ("create process", "µs per process", 118.4),
                              ("launch program", "µs per launch", 512.0), ("create file", "µs per file", 9.73),
                              ("allocate memory", "ns per block", 24.1)]:
        details = {"file_system": "overlay"} if name == "create file" else {}
        yield measurement("os", name, unit, value, details, rounds=5, noise=0.05)


def hashed_input():
    for name, value, right, remark in [("1 MB, byte by byte", 163.0, 0.612, "the clock covers a system call for each byte"),
                                       ("1 MB, late pipe", 20.9, 0.874, "the clock covers the wait for a writer that starts late"),
                                       ("64 MB, staged", 0.611, None, "all bytes are in memory before the clock begins")]:
        yield measurement("input", name, "ns per byte", value, {
            "remark": remark, "right_ns_per_byte": right, "factor": value / right if right else None, "per_round": 1_000_000})


def pseudo_miner():
    yield measurement("pseudo-miner", "total time", "s per search of 4,294,967,296 nonces", 39.6, rounds=1, details={
        "published": [{"system": "i5-7600K, Linux", "seconds": 261, "cycles_per_hash": 2678}],
        "nonces": 2**32, "hits": 1, "cycles_per_hash": 68.4, "whole_range_seconds": 39.6, "counter_hz": 2.45e9,
        "threads": [thread(f"cpu:avx512#{i}", 67.4 + i, i) for i in range(THREADS)]})


def document(**changes):
    """The whole; `changes` replaces its parts."""
    flags = "aes avx avx2 avx512bw avx512f avx512vl bmi1 bmi2 cx16 f16c fma gfni hypervisor popcnt rdtscp sha_ni vaes"
    whole = {
        "format": "gpuminer bench", "format_version": 1,
        "program": {"version": "0.4.0", "commit": "0123456789ab", "compiler": "GNU 12.2.0",
                    "flags": "Release -O3 -DNDEBUG", "kernel_flags": "-O2 -fno-tree-vectorize"},
        "machine": {"cpu": "AMD EPYC 9B14 96-Core Processor", "cpu_family": "25", "microcode": "0xa101148",
                    "cores": 2, "hardware_threads": 4, "memory_bytes": 16 * 2**30, "virtual_machine": True, "governor": None,
                    "tsc_hz": 2.45e9, "system": "Linux 6.1.0", "scheduling": "normal, on any of 4 hardware threads",
                    "load": 0.12, "cpu_flags": flags.split()},
        "devices": [{"name": "cpu:avx512#0", "backend": "cpu", "model": "AMD EPYC 9B14", "units": 1, "software": False},
                    {"name": "cuda:sm_90#0", "backend": "cuda", "model": "NVIDIA H100 80GB HBM3", "driver": "570.86",
                     "units": 132, "clock_mhz": 1980, "memory_bytes": 80 * 2**30, "software": False}],
        "job": {"scan": {"header": "01000000" + "50120119172a6104" * 9, "target": "00000000ffff" + "0" * 52,
                         "fixed": {"first_nonce": 0, "nonces": 2**26, "versions": 1, "known_hits": 259}}},
        "command": "gpuminer bench all pseudo-miner --json run.json --report run.html", "time": "2026-11-21T20:39:06Z",
        "seconds": 412.7, "ending": "finished", "verified": True, "failures": [],
        "notes": ["vulkan: no device can be used: no driver is installed."],
        "measurements": [*scan(), *kernels(), *ladder(), *batches(), *latency(), *scheduler(), *operating_system(),
                         *hashed_input(), *pseudo_miner()],
    }
    return whole | changes


def earlier(run):
    """Another run of the same, a week and a commit before: some figures differ, by 3 and 5 %."""
    baseline = copy.deepcopy(run) | {"time": "2026-11-14T08:00:00Z"}
    baseline["program"]["commit"] = "fedcba987654"
    baseline["machine"]["microcode"] = "0xa101144"
    for i, made in enumerate(baseline["measurements"]):
        for entry in made["rounds"]:
            entry["value"] *= (1, 0.97, 1.05, 1)[i % 4] * math.exp(random_noise.gauss(0, 0.004))
        with_figures(made)
    return baseline
