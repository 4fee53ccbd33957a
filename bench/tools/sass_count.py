#!/usr/bin/env python3
"""Counts what the CUDA kernels execute per hash, by pipe, without a GPU.

Compiles cuda/search.cu for GPU generations of interest, disassembles it, counts the instructions of one hash, and says
how fast each GPU could be if nothing but the number of instructions limited it. Exit status 1: a kernel spills
registers, needs over 1 % more than was recorded in sass_counts.json, or misses a target.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).resolve().with_name("sass_counts.json")

MIXES = ["plain", "adds", "adds+shifts", "adds+shifts+rotations"]  # gpu::Mix, in its order
FORMS = ["fixed", "rolled"]
TOLERANCE = 0.01  # of what was recorded, as in instruction_counts.py
VERSIONS = 8  # of a rolled hash: they share the nonce's stage
ARCHITECTURES = [89, 90, 120]

MODEL = ("Model: a multiprocessor retires 64 lanes a cycle on the ALU pipe and 64 on the FMA pipe, IMAD.HI and "
         "IMAD.WIDE at half that rate, and issues 128 lanes a cycle.")
ALU_LANES, FMA_LANES, ISSUE_LANES = 64, 64, 128
GPUS = {  # architecture, multiprocessors, boost clock in GHz
    "H200": (90, 132, 1.98),
    "RTX 4090": (89, 128, 2.52),
    "RTX 5090": (120, 170, 2.41),
}
# For the best mix at sm_90: ALU instructions at most, GH/s of an H200 at least.
TARGETS = {"fixed": (1660, 10.0), "rolled": (None, 11.4)}

# Pipes by opcode, up to its first dot. Everything else (loads, branches, the uniform datapath, conversions) takes an
# issue slot and no lane of these two.
ALU_GROUPS = {
    "SHF": "SHF",
    "LOP3": "LOP3",
    "IADD3": "add", "IADD": "add", "VIADD": "add",
    **dict.fromkeys(["ISETP", "LEA", "PRMT", "SEL", "PLOP3", "LOP", "MOV", "P2R", "R2P", "IABS", "SGXT", "BMSK",
                     "VIMNMX", "VIADDMNMX", "IMNMX", "VIMNMX3", "FMNMX", "FSETP", "FSEL", "VABSDIFF"], "ALU, others"),
}
FMA_GROUPS = {"IMAD": "IMAD", "IMAD.HI": "IMAD.HI", "IMAD.WIDE": "IMAD.WIDE"}
FMA_COST = {"IMAD": 1, "IMAD.HI": 2, "IMAD.WIDE": 2}  # in full-rate slots
ALU_COLUMNS = ["SHF", "LOP3", "add", "ALU, others"]


def group_of(opcode):
    parts = opcode.split(".")
    if parts[0] == "IMAD":
        return "IMAD.HI" if "HI" in parts else "IMAD.WIDE" if "WIDE" in parts else "IMAD"
    return ALU_GROUPS.get(parts[0], "other")


# --- compiling and disassembling ------------------------------------------------------------------------------

def find_tool(name, given, beside=None):
    candidates = [given, beside and str(Path(beside).resolve().with_name(name)), shutil.which(name),
                  f"/usr/local/cuda/bin/{name}", str(ROOT / "build/cuda-toolkit/nvidia/cu13/bin" / name)]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"sass_count.py: this command failed: {' '.join(command)}\n{done.stdout}")
    return done.stdout


def release_of(nvcc):
    return re.search(r"V(\d+\.\d+\.\d+)", run([nvcc, "--version"]))[1]


class Kernel:
    """One kernel, disassembled."""

    def __init__(self, name):
        self.name = name
        self.code = []  # instructions without their predicates' guards being taken off
        self.labels = {}  # label: index of the instruction that follows
        self.registers = self.spills = None

    def target(self, index):
        """Index of the instruction that the branch at `index` goes to; None: it is no branch, or one of a call."""
        match = re.search(r"\bBRA\b.*?\((\.L_\w+)\)", self.code[index])
        return self.labels.get(match[1]) if match else None

    def conditional(self, index):
        return self.code[index].startswith("@") or "BRA.U" in self.code[index]

    def opcode(self, index):
        return re.sub(r"^@!?U?P\w+\s+", "", self.code[index]).split()[0]

    def loop(self):
        """First and last instruction of the loop over versions; None where there is none."""
        loops = [(self.target(i), i) for i in range(len(self.code))
                 if self.target(i) is not None and i - self.target(i) > 200]
        if len(loops) > 1:
            sys.exit(f"sass_count.py: {self.name} has {len(loops)} large loops; at most one is understood")
        return loops[0] if loops else None

    def cold(self):
        """First instruction after the test that next to no hash passes, and the one at which those that fail it go
        on: past the counting of candidates, which is the only atomic operation."""
        atomic = [i for i in range(len(self.code)) if self.opcode(i).startswith(("ATOM", "RED"))]
        if len(atomic) != 1:
            sys.exit(f"sass_count.py: {self.name} has {len(atomic)} atomic operations; one is understood")
        for i in range(max(atomic[0] - 60, 0), atomic[0]):
            if not self.conditional(i):
                continue
            end = len(self.code) if self.opcode(i) == "EXIT" else self.target(i)
            if end is not None and end > atomic[0]:
                return i + 1, end
        sys.exit(f"sass_count.py: cannot find the candidate test of {self.name}")


def disassemble(nvdisasm, cubin):
    kernels = []
    for line in run([nvdisasm, "-c", cubin]).splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,]+),", line)
        label = re.match(r"(\.L_\w+):", line)
        instruction = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;?\s*$", line)
        if section:
            kernels.append(Kernel(section[1]))
        elif label and kernels:
            kernels[-1].labels[label[1]] = len(kernels[-1].code)
        elif instruction and kernels:
            kernels[-1].code.append(instruction[1])
    return kernels


def compile_kernels(tools, generated, folder, architecture, mix):
    cubin = f"{folder}/mix{mix}.sm_{architecture}.cubin"
    output = run([tools["nvcc"], "-std=c++17", "-cubin", f"-arch=sm_{architecture}", f"-DGPUMINER_CUDA_MIX={mix}",
                  "-Xptxas=-v", f"-I{ROOT}", f"-I{generated}", "-o", cubin, str(ROOT / "cuda/search.cu")])
    kernels = disassemble(tools["nvdisasm"], cubin)
    for kernel in kernels:
        about = output[output.index(f"Function properties for {kernel.name}"):]
        stores, loads = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", about).groups()
        kernel.spills = int(stores) + int(loads)
        kernel.registers = int(re.search(r"Used (\d+) registers", about)[1])
    return [(form, [k for k in kernels if re.search(rf"\d{form}E", k.name)][0]) for form in FORMS]


# --- counting -------------------------------------------------------------------------------------------------

def count(kernel, form):
    """Instructions of one hash by group."""
    loop, cold = kernel.loop(), kernel.cold()
    if (loop is not None) != (form == "rolled"):
        sys.exit(f"sass_count.py: {kernel.name} is expected to have {'one' if form == 'rolled' else 'no'} large loop")
    counts = {}
    for i in range(len(kernel.code)):
        if cold[0] <= i < cold[1] or kernel.opcode(i) == "NOP" or kernel.target(i) == i:  # padding at the end
            continue
        weight = 1 if loop is None or loop[0] <= i <= loop[1] else 1 / VERSIONS
        group = group_of(kernel.opcode(i))
        counts[group] = counts.get(group, 0) + weight
    return counts


def measure(architecture, mix, form, kernel):
    counts = count(kernel, form)
    alu = sum(counts.get(group, 0) for group in ALU_COLUMNS)
    fma = sum(counts.get(group, 0) * cost for group, cost in FMA_COST.items())
    issued = sum(counts.values())
    cycles = {"ALU": alu / ALU_LANES, "FMA": fma / FMA_LANES, "issue": issued / ISSUE_LANES}
    limit = max(cycles, key=cycles.get)
    return {
        "architecture": f"sm_{architecture}", "form": form, "mix": MIXES[mix], "registers": kernel.registers,
        "spilled_bytes": kernel.spills, "instructions": {group: round(n, 3) for group, n in sorted(counts.items())},
        "alu": round(alu, 3), "fma_slots": round(fma, 3), "issued": round(issued, 3),
        "cycles": round(cycles[limit], 3), "limited_by": limit,
        "limit_ghs": {gpu: round(units * clock / cycles[limit], 2)
                      for gpu, (gpu_architecture, units, clock) in GPUS.items() if gpu_architecture == architecture},
    }


def measure_all(tools, generated):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tasks = [(a, m, pool.submit(compile_kernels, tools, generated, folder, a, m))
                 for a in ARCHITECTURES for m in range(len(MIXES))]
        rows = [measure(a, m, form, kernel) for a, m, task in tasks for form, kernel in task.result()]
    return sorted(rows, key=lambda row: (int(row["architecture"][3:]), FORMS.index(row["form"])))


# --- judging and printing -------------------------------------------------------------------------------------

def key_of(row):
    return f"{row['architecture']} {row['form']} {row['mix']}"


def recorded_part(row):
    return {name: row[name] for name in ("alu", "fma_slots", "issued", "registers", "cycles")}


def judge(rows, record, release):
    """Complaints, and why the record is not compared ("": it is)."""
    complaints = [f"{key_of(row)} spills {row['spilled_bytes']} bytes" for row in rows if row["spilled_bytes"]]
    for form, (alu, rate) in TARGETS.items():
        best = max((r for r in rows if r["architecture"] == "sm_90" and r["form"] == form),
                   key=lambda r: r["limit_ghs"]["H200"])
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
    columns = ALU_COLUMNS + list(FMA_GROUPS) + ["other"]
    heads = ["", "form", "mix", "regs", "spills"] + columns + ["ALU", "FMA", "issued", "limit", "GH/s"]
    table = [heads]
    for row in rows:
        gpu, rate = next(iter(row["limit_ghs"].items()))
        table.append([row["architecture"], row["form"], row["mix"], row["registers"], row["spilled_bytes"],
                      *[f"{row['instructions'].get(group, 0):.0f}" for group in columns],
                      *[f"{row[name]:.0f}" for name in ("alu", "fma_slots", "issued")],
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
                        help="build folder with the generated search program (default: build/release)")
    parser.add_argument("--nvcc", default=os.environ.get("CUDACXX"), help="default: CUDACXX, or where it usually is")
    parser.add_argument("--nvdisasm", help="default: beside nvcc, or in PATH")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name} instead of comparing with it")
    options = parser.parse_args()

    generated = options.build.resolve() / "generated"
    if not (generated / "search_program/sizes.hpp").exists():
        parser.error(f"expected the generated search program in {generated}; build the target gpuminer_search_program")
    tools = {"nvcc": find_tool("nvcc", options.nvcc)}
    tools["nvdisasm"] = find_tool("nvdisasm", options.nvdisasm, tools["nvcc"])
    for name, path in tools.items():
        if path is None:
            print(f"SKIPPED: {name} is neither in PATH nor in /usr/local/cuda/bin; --{name} says where it is")
            return 1 if options.record else 0
    release = release_of(tools["nvcc"])
    rows = measure_all(tools, generated)
    if options.json:
        json.dump({"nvcc": release, "model": MODEL, "versions": VERSIONS,
                   "gpus": {gpu: {"architecture": f"sm_{a}", "multiprocessors": n, "clock_ghz": c}
                            for gpu, (a, n, c) in GPUS.items()}, "kernels": rows}, sys.stdout, indent=1)
        print()
    else:
        print_table(rows, sys.stdout)
    if options.record:
        record = {"nvcc": release, "kernels": {key_of(row): recorded_part(row) for row in rows}}
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
