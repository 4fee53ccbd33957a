#!/usr/bin/env python3
"""Instruction counts of the CUDA kernels per hash, by pipe, without a GPU.

Disassembles the kernels for GPU generations of interest, both what nvcc has made of cuda/search.cu and what ptxas makes of
the PTX that clang has; counts the instructions of one hash, and says how fast each GPU could be if nothing but the number of
instructions limited it. Machine code of generations that the build leaves out is made here with --all or --record. Exit
status 1: a kernel spills registers, needs over 1 % more than was recorded in sass_counts.json, or misses a target.

What is older than generation 7.5 takes tools of CUDA 12: --ptxas (PyPI's nvidia-cuda-nvcc-cu12) and --nvdisasm. What they do
not know is left out, and --record keeps what was recorded of it.
"""
import argparse
import json
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cubin import (ROOT, Kernel, cubins_of, disassemble, find_tool, register_reads, registers_of, release_of, run, spilled_bytes,
                   understands)

RECORD = Path(__file__).resolve().with_name("sass_counts.json")

MIXES = ["plain", "adds", "all-adds", "adds+shifts+rotations"]  # gpu::Mix, in its order
FORMS = ["fixed", "rolled"]
TOLERANCE = 0.01  # of what was recorded, as in instruction_counts.py
VERSIONS = 8  # of a rolled hash: they share the nonce's stage
KINDS = {"machine": "", "ptx": "ptx "}  # as CMake calls the files; what their keys begin with
ARCHITECTURES = [52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 120]
COUNTED_BY_DEFAULT = {"machine": [89, 90, 120], "ptx": [90]}  # of those that the build has

MODEL = ("Model: a multiprocessor retires 64 lanes a cycle on the ALU pipe and 64 on the FMA pipe, IMAD.HI and IMAD.WIDE "
         "at half that rate while they also take the ALU pipe as another instruction would, reads 128 lanes of the "
         "registers of even number and 128 of odd number, and issues 128 (measured on an H200; taken for all from sm_70 on); "
         "before sm_70 it retires and issues 128 lanes (sm_60: 64), shifts and rotations at half that rate.")
GPUS = {  # architecture, multiprocessors, boost clock in GHz
    "GTX 980 Ti": (52, 22, 1.075),
    "P100": (60, 56, 1.48),
    "GTX 1080 Ti": (61, 28, 1.582),
    "V100": (70, 80, 1.53),
    "RTX 2080 Ti": (75, 68, 1.545),
    "A100": (80, 108, 1.41),
    "RTX 3090": (86, 82, 1.695),
    "RTX 4090": (89, 128, 2.52),
    "H200": (90, 132, 1.98),  # H100 SXM, too
    "B200": (100, 148, 1.965),
    "RTX 5090": (120, 170, 2.41),
}
# For the best mix at sm_90: ALU instructions at most, GH/s of an H200 at least.
TARGETS = {"fixed": (1830, 9.1), "rolled": (None, 10.6)}

# Pipes by opcode, up to its first dot. Everything else (loads, branches, the uniform datapath, conversions) takes an
# issue slot and no lane of these two.
ALU_GROUPS = {
    **dict.fromkeys(["SHF", "SHR", "SHL"], "SHF"),
    **dict.fromkeys(["LOP3", "LOP", "LOP32I"], "LOP3"),
    **dict.fromkeys(["IADD3", "IADD", "IADD32I"], "add"),
    **dict.fromkeys(["ISETP", "PRMT", "SEL", "PLOP3", "XMAD", "MOV", "P2R", "R2P", "IABS", "SGXT", "BMSK",
                     "VIMNMX", "VIADDMNMX", "IMNMX", "VIMNMX3", "FMNMX", "FSETP", "FSEL", "VABSDIFF"], "ALU, others"),
}
FMA_COST = {"IMAD": 1, "VIADD": 1, "IMAD.HI": 2, "IMAD.WIDE": 2}  # in full-rate slots
BOTH_PIPES = ["IMAD.HI", "IMAD.WIDE"]
ALU_COLUMNS = ["SHF", "LOP3", "LEA", "add", "ALU, others"]


def group_of(opcode):
    parts = opcode.split(".")
    if parts[0] == "IMAD":
        return "IMAD.HI" if "HI" in parts else "IMAD.WIDE" if "WIDE" in parts else "IMAD"
    if parts[0] in ("VIADD", "LEA"):
        return parts[0]
    return ALU_GROUPS.get(parts[0], "other")


# --- compiling and disassembling ------------------------------------------------------------------------------

def kernel_of(nvdisasm, cubin):
    (kernel,) = disassemble(nvdisasm, str(cubin))
    kernel.spills, kernel.registers = spilled_bytes(kernel), registers_of(cubin.read_bytes())[kernel.name]
    return kernel


def compile_cubin(nvcc, generated, cubin, architecture, form, mix):
    run([nvcc, "-std=c++17", "-cubin", f"-arch=sm_{architecture}", f"-DGPUMINER_CUDA_ROLLED={FORMS.index(form)}",
         f"-DGPUMINER_CUDA_MIX={mix}", f"-DGPUMINER_CUDA_NAME={form}_{mix}", f"-I{ROOT}", f"-I{generated}", "-o", str(cubin),
         str(ROOT / "cuda/search.cu")])


def machine_cubins(build, folder):
    """Writes those that the build has to `folder`; the architectures of all of them."""
    found = []
    for form in FORMS:
        for mix in range(len(MIXES)):
            fatbin = build / f"cuda/kernels/{form}_{mix}.machine"
            cubins = cubins_of(fatbin.read_bytes()) if fatbin.exists() else {}
            for architecture, cubin in cubins.items():
                (folder / f"machine.{form}_{mix}.sm_{architecture}.cubin").write_bytes(cubin)
            found.append(set(cubins))
    return set.intersection(*found)


def measure_all(tools, build, everything):
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        folder = Path(name)
        built = machine_cubins(build, folder)

        def measured(kind, architecture, form, mix):
            cubin = folder / f"{kind}.{form}_{mix}.sm_{architecture}.cubin"
            if kind == "ptx":
                ptx = build / f"cuda/kernels/{form}_{mix}.ptx"
                run([tools["ptxas"], f"-arch=sm_{architecture}", "-o", str(cubin), str(ptx)])
            elif architecture not in built:
                compile_cubin(tools["nvcc"], build / "generated", cubin, architecture, form, mix)
            return measure(kind, architecture, mix, form, kernel_of(tools["nvdisasm"], cubin))

        def wanted(kind, architecture):
            if kind == "ptx" and not (build / "cuda/kernels/fixed_0.ptx").exists():
                return False
            if kind == "machine" and architecture < 75:  # older than nvcc's machine code is
                return False
            if not everything and architecture not in COUNTED_BY_DEFAULT[kind]:
                return False
            if kind == "machine" and not everything and built and architecture not in built:
                return False
            return understands(tools["nvdisasm"], architecture) and (
                kind == "machine" or understands(tools["ptxas"], architecture))

        tasks = [pool.submit(measured, kind, architecture, form, mix) for kind in KINDS for architecture in ARCHITECTURES
                 if wanted(kind, architecture) for form in FORMS for mix in range(len(MIXES))]
        return [task.result() for task in tasks]


# --- counting -------------------------------------------------------------------------------------------------

def count(kernel, form):
    """Instructions of one hash by group, and the registers read from the busier half of the register file."""
    loop, cold = kernel.loop(), kernel.cold()
    if (loop is not None) != (form == "rolled"):
        sys.exit(f"sass_count.py: {kernel.name} is expected to have {'one' if form == 'rolled' else 'no'} large loop")
    counts, halves = {}, [0, 0]
    for i, reads in enumerate(register_reads(kernel)):
        if cold[0] <= i < cold[1] or kernel.opcode(i) == "NOP" or kernel.target(i) == i:  # padding at the end
            continue
        weight = 1 if loop is None or loop[0] <= i <= loop[1] else 1 / VERSIONS
        group = group_of(kernel.opcode(i))
        counts[group] = counts.get(group, 0) + weight
        halves = [total + weight * more for total, more in zip(halves, reads)]
    return counts, max(halves)


def cycles_by_limit(architecture, alu, shifts, fma, reads, issued):
    """Of a multiprocessor, if nothing but this one thing limited it."""
    if architecture >= 70:
        return {"ALU": alu / 64, "FMA": fma / 64, "registers": reads / 128, "issue": issued / 128}
    lanes = 64 if architecture == 60 else 128
    return {"shifts": shifts / (lanes / 2), "issue": issued / lanes}


def measure(kind, architecture, mix, form, kernel):
    counts, reads = count(kernel, form)
    alu = sum(counts.get(group, 0) for group in ALU_COLUMNS + BOTH_PIPES)
    fma = sum(counts.get(group, 0) * cost for group, cost in FMA_COST.items())
    issued = sum(counts.values())
    cycles = cycles_by_limit(architecture, alu, counts.get("SHF", 0), fma, reads, issued)
    limit = max(cycles, key=cycles.get)
    return {
        "kind": kind, "architecture": f"sm_{architecture}", "form": form, "mix": MIXES[mix], "registers": kernel.registers,
        "spilled_bytes": kernel.spills, "instructions": {group: round(n, 3) for group, n in sorted(counts.items())},
        "alu": round(alu, 3), "fma_slots": round(fma, 3), "reads": round(reads, 3), "issued": round(issued, 3),
        "cycles": round(cycles[limit], 3), "limited_by": limit,
        "limit_ghs": {gpu: round(units * clock / cycles[limit], 2)
                      for gpu, (gpu_architecture, units, clock) in GPUS.items() if gpu_architecture == architecture},
    }


# --- judging and printing -------------------------------------------------------------------------------------

def key_of(row):
    return f"{KINDS[row['kind']]}{row['architecture']} {row['form']} {row['mix']}"


def record_order(key):
    kind, architecture = key.startswith("ptx "), int(re.search(r"sm_(\d+)", key)[1])
    return kind, architecture, " rolled " in key, MIXES.index(key.split()[-1])


def recorded_part(row):
    return {name: row[name] for name in ("alu", "fma_slots", "reads", "issued", "registers", "cycles")}


def judge(rows, record, release):
    """Complaints, and why the record is not compared ("": it is)."""
    complaints = [f"{key_of(row)} spills {row['spilled_bytes']} bytes" for row in rows if row["spilled_bytes"]]
    for form, (alu, rate) in TARGETS.items():
        best = max((r for r in rows if (r["kind"], r["architecture"], r["form"]) == ("machine", "sm_90", form)),
                   key=lambda r: r["limit_ghs"]["H200"], default=None)
        if best is None and not any(row["kind"] == "machine" for row in rows):
            continue
        if best is None:
            complaints.append(f"{form}: the build has no kernel for sm_90, which the targets are for")
            continue
        if alu and best["alu"] > alu:
            complaints.append(f"{key_of(best)}: {best['alu']} ALU instructions, the target is {alu} at most")
        if best["limit_ghs"]["H200"] < rate:
            complaints.append(f"{key_of(best)}: {best['limit_ghs']['H200']} GH/s, the target is {rate} at least")
    if record["nvcc"] != release:
        return complaints, f"the record is of nvcc {record['nvcc']}, and this is {release}"
    for row in rows:
        before = record["kernels"].get(key_of(row), {})
        for name, value in recorded_part(row).items():
            if name not in before or value > before[name] * (1 + TOLERANCE):
                complaints.append(f"{key_of(row)}: {name} is {value}, recorded is {before.get(name, 'nothing')}")
    return complaints, ""


def print_table(rows, out):
    columns = ALU_COLUMNS + list(FMA_COST) + ["other"]
    heads = ["", "form", "mix", "regs", "spills"] + columns + ["ALU", "FMA", "reads", "issued", "limit", "GH/s"]
    table = [heads]
    for row in rows:
        gpu, rate = next(iter(row["limit_ghs"].items()))
        table.append([KINDS[row["kind"]] + row["architecture"], row["form"], row["mix"], row["registers"], row["spilled_bytes"],
                      *[f"{row['instructions'].get(group, 0):.0f}" for group in columns],
                      *[f"{row[name]:.0f}" for name in ("alu", "fma_slots", "reads", "issued")],
                      row["limited_by"], f"{rate:.2f} {gpu}"])
    widths = [max(len(str(line[i])) for line in table) for i in range(len(heads))]
    for line in table:
        cells = [str(cell).ljust(w) if i < 3 or i >= len(heads) - 2 else str(cell).rjust(w)
                 for i, (cell, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip(), file=out)
    print(f"Per hash; rolled: with {VERSIONS} versions. {MODEL}\nThe rate is "
          + ", ".join(f"{gpu}'s {units} multiprocessors at {clock} GHz" for gpu, (_, units, clock) in GPUS.items())
          + " at that limit.", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release",
                        help="build folder with the kernels and the generated search program (default: build/release)")
    parser.add_argument("--nvcc", default=os.environ.get("CUDACXX"), help="default: CUDACXX, or where it usually is")
    parser.add_argument("--nvdisasm", help="default: beside nvcc, or in PATH")
    parser.add_argument("--ptxas", help="default: beside nvcc, or in PATH")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--all", action="store_true", help="every generation, whatever the build was made for")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name} instead of comparing with it")
    options = parser.parse_args()

    build = options.build.resolve()
    if not (build / "generated/search_program/sizes.hpp").exists():
        parser.error(f"expected the generated search program in {build}; build the target gpuminer_search_program")
    tools = {"nvcc": find_tool("nvcc", options.nvcc)}
    tools["nvdisasm"] = find_tool("nvdisasm", options.nvdisasm, tools["nvcc"])
    for name, path in list(tools.items()):
        if path is None:
            print(f"SKIPPED: {name} is neither in PATH nor in /usr/local/cuda/bin; --{name} says where it is")
            return 1 if options.record else 0
    tools["ptxas"] = find_tool("ptxas", options.ptxas, tools["nvcc"])
    release = release_of(tools["nvcc"])
    rows = measure_all(tools, build, options.all or options.record)
    if options.json:
        json.dump({"nvcc": release, "model": MODEL, "versions": VERSIONS,
                   "gpus": {gpu: {"architecture": f"sm_{a}", "multiprocessors": n, "clock_ghz": c}
                            for gpu, (a, n, c) in GPUS.items()}, "kernels": rows}, sys.stdout, indent=1)
        print()
    else:
        print_table(rows, sys.stdout)
    if options.record:
        before = json.loads(RECORD.read_text())["kernels"].items()
        kernels = {key: counts for key, counts in before if key.split()[-1] in MIXES}
        kernels.update({key_of(row): recorded_part(row) for row in rows})
        record = {"nvcc": release, "kernels": dict(sorted(kernels.items(), key=lambda item: record_order(item[0])))}
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in record["kernels"].items())
        RECORD.write_text(f'{{"nvcc": {json.dumps(release)}, "kernels": {{\n{lines}\n}}}}\n')
    complaints, not_compared = judge(rows, json.loads(RECORD.read_text()), release)
    for complaint in complaints:
        print(f"sass_count.py: {complaint}", file=sys.stderr)
    if not_compared and not complaints:
        print(f"SKIPPED the comparison with {RECORD.name}: {not_compared}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
