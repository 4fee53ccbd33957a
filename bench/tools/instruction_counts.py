#!/usr/bin/env python3
"""Instruction counts of the CPU kernels per hash: exact, whatever else the machine does.

  callgrind     instructions that run, by valgrind: of N and of 2 N nonces (or inputs), so that all else cancels out
  disassembly   for the instruction sets that valgrind does not know, and for all of ARM64: instructions in the machine
                code, loops weighted (vectors) or each once (SHA units)
  program       operations of the generated program, before any compiler (gpuminer-kernelgen --count)

Exit status 1: a count grew by more than 1 % over instruction_counts.json. Exit status 77, with the reason: something
could not be counted here, or nothing is recorded for this compiler, whose choice the first two kinds are. A row that is
not recorded, as those of a new instruction set, is printed and named.
"""
import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).resolve().with_name("instruction_counts.json")
TOLERANCE = 0.01
SKIPPED = 77  # exit status that ctest counts as "not run"

VERSIONS = 8  # of a rolled search
FORMS = {"fixed": 1, f"{VERSIONS} versions": VERSIONS}
# Lanes of each instruction set. kernelgen counts operations for the vocabularies of two of them.
LANES = {name: int(lanes) for name, lanes in
         re.findall(r'^GPUMINER_ISA\((\w+), "[^"]*", (\d+), ',
                    "".join((ROOT / f"cpu/isa_list{part}.inc").read_text() for part in ("", "_x86", "_arm64")), re.MULTILINE)}
# Loops that run over a block of so many vectors, in scan_lanes.hpp and batch_lanes.hpp.
SEARCH_BLOCK = 8
BATCH_BLOCK_BYTES, STATE_WORDS = 8192, 8
VOCABULARIES = ("avx2", "avx512")
UNITS = 2048  # a multiple of every kernel's block, with as many digits as its double: the command line is start-up too


class NotCounted(Exception):
    """Why a row is missing. Not an error of the kernel."""


def run(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise NotCounted(f"this command failed: {' '.join(map(str, command))}\n{done.stdout[-2000:].strip()}")
    return done.stdout


def cached(build, name):
    """What CMake remembers of a build."""
    return re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def is_arm64(build):
    return cached(build, "GPUMINER_ARCHITECTURE") == "arm64"


def tool(name):
    if shutil.which(name) is None:
        raise NotCounted(f"{name} is not installed")
    return name


# --- callgrind ------------------------------------------------------------------------------------------------

def callgrind(build, *arguments):
    """Instructions per nonce (each in all versions) or per input."""
    def instructions(units):
        output = run([tool("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null",
                      build / "gpuminer-bench-bare", "count", *arguments, units])
        collected = re.search(r"Collected : (\d+)", output)
        if not collected:
            raise NotCounted(f"callgrind told no count: {output[-500:].strip()}")
        return int(collected[1])
    return (instructions(2 * UNITS) - instructions(UNITS)) / UNITS


# --- disassembly ----------------------------------------------------------------------------------------------

class Function:
    """A function's instructions (address, text), without padding."""

    def __init__(self, text):
        lines = re.findall(r"^ *([0-9a-f]+):\s+(.*?)\s*$", text, re.MULTILINE)
        self.code = [(int(address, 16), line) for address, line in lines
                     if not re.match(r"(data16 |cs )*(nop|xchg +%ax,%ax)", line)]

    def loops(self):
        """(first, last) address of each loop: what a jump backwards spans."""
        jump = r"(?:j\w+|b(?:\.\w+)?|cbn?z\s+\w+,|tbn?z\s+\w+, #\w+,)\s+([0-9a-f]+) <"  # of x86-64 and of ARM64
        jumps = ((address, re.match(jump, line)) for address, line in self.code)
        return [(int(jump[1], 16), address) for address, jump in jumps
                if jump and self.code[0][0] <= int(jump[1], 16) < address]

    def per_inner_iteration(self, callees, inner_loops, times):
        """Instructions for each pass through all inner loops, which run `times` times for each pass of what is around
        them. A callee runs from its beginning to its end."""
        loops = self.loops()
        outer = (min(first for first, _ in loops), max(last for _, last in loops)) if loops else None
        inner = [loop for loop in loops if not any(loop != l and loop[0] <= l[0] and l[1] <= loop[1] for l in loops)]
        if outer not in loops or len(inner) != inner_loops:
            raise NotCounted(f"{len(inner)} inner loops in the machine code, {inner_loops} are understood")
        count = 0
        for address, line in self.code:
            weight = 0 if not outer[0] <= address <= outer[1] else \
                1 if any(first <= address <= last for first, last in inner) else 1 / times
            callee = re.match(r"(?:call|bl)\b.*<.*::(\w+)\(", line)
            count += weight * (1 + (len(function_of(callees, callee[1]).code) if callee else 0))
        return count


def disassemble(build, member):
    """The functions of one object of the kernels' library by name, without parameters."""
    library = build / "cpu/libgpuminer_cpu_isa.a"
    text = run([tool(cached(build, "CMAKE_OBJDUMP")), "--disassemble", "--demangle", "--no-show-raw-insn", library])
    objects = re.split(r"^(\S+\.o): +file format.*$", text, flags=re.MULTILINE)
    if f"{member}.cpp.o" not in objects:
        raise NotCounted(f"{library.name} has no {member}.cpp.o")
    text = objects[objects.index(f"{member}.cpp.o") + 1]
    parts = re.split(r"^[0-9a-f]+ <(?:.*::)?(\w+)\(.*\)(.*)>:$", text, flags=re.MULTILINE)
    return {name: Function(body) for name, kind, body in zip(parts[1::3], parts[2::3], parts[3::3])
            if ".cold" not in kind}


def function_of(functions, name):
    if name not in functions:
        raise NotCounted(f"the machine code has no function {name} of its own")
    return functions[name]


def search_in_code(build, isa, name):
    functions = disassemble(build, f"scan_{isa}")
    return function_of(functions, name).per_inner_iteration(functions, 2, times=SEARCH_BLOCK) / LANES[isa]


def batch_in_code(build, isa):
    functions = disassemble(build, f"sha256d64_{isa}")
    vectors = BATCH_BLOCK_BYTES // (4 * STATE_WORDS * LANES[isa])
    return function_of(functions, "run").per_inner_iteration(functions, 3, times=vectors) / LANES[isa]


def messages_in_code(build, isa):
    """Of a vector of blocks, which one loop runs over."""
    functions = disassemble(build, f"messages_{isa}")
    return function_of(functions, "compress" if "compress" in functions else f"messages_{isa}").per_inner_iteration(functions, 1, times=1) / LANES[isa]


def code_of(build, member, name):
    return len(function_of(disassemble(build, member), name).code)


def all_code_of(build, member):
    return sum(len(function.code) for function in disassemble(build, member).values())


# --- program --------------------------------------------------------------------------------------------------

def operations(build, isa, stages, *arguments):
    """`stages`: how often each runs per hash (of a vector)."""
    head, *lines = [line.split() for line in run([build / "gpuminer-kernelgen", "--count", *arguments]).splitlines()]
    return sum(int(line[head.index(isa)]) * stages.get(line[0], 0) for line in lines) / LANES[isa]


# --- all rows -------------------------------------------------------------------------------------------------

IN_VALGRIND = ("scalar", "sse41", "avx2")
# Forms with SHA instructions, and the files of their searches.
SHA_NI = {"shani": "scan_shani_x4", "shani:2": "scan_shani", "shani:3": "scan_shani_x4_avx",
          "avx2+shani": "scan_avx2_shani", "avx512+shani": "scan_avx512_shani"}


SEARCHES = tuple(zip(FORMS, ("scan_fixed", "scan_rolled")))


def rows_of_messages_in_code(build, isa, kernels):
    for row, name in {**kernels, f"message {isa}": f"messages_{isa}_single_alone"}.items():
        yield row, "disassembly", "instructions in the code", lambda name=name: code_of(build, f"messages_{isa}", name)


def rows_of_arm64(build):
    for isa in ("scalar", "neon"):
        for form, name in SEARCHES:
            yield (f"search {isa} {form}", "disassembly", "instructions per hash",
                   lambda isa=isa, name=name: search_in_code(build, isa, name))
        yield f"sha256d64 {isa}", "disassembly", "instructions per input", lambda isa=isa: batch_in_code(build, isa)
        yield f"messages {isa}", "disassembly", "instructions per block", lambda isa=isa: messages_in_code(build, isa)
    yield "search neon:2", "disassembly", "instructions in the code", lambda: all_code_of(build, "scan_neon_x2")
    for isa, member in {"sha2": "scan_sha2", "sha2:2": "scan_sha2_x4"}.items():
        for form, name in SEARCHES:
            yield (f"search {isa} {form}", "disassembly", "instructions in the code",
                   lambda member=member, name=name: code_of(build, member, name))
    yield ("sha256d64 sha2", "disassembly", "instructions in the code",
           lambda: code_of(build, "sha256d64_sha2", "sha256d64_sha2"))
    yield from rows_of_messages_in_code(build, "sha2", {"messages sha2": "messages_sha2"})
    if platform.machine() == "aarch64":  # elsewhere kernelgen is another machine's program
        yield from rows_of_program(build)


def rows_of_x86(build):
    for isa in IN_VALGRIND:
        for form, versions in FORMS.items():
            yield (f"search {isa} {form}", "callgrind", "instructions per hash",
                   lambda isa=isa, versions=versions: callgrind(build, "search", isa, versions) / versions)
        yield f"sha256d64 {isa}", "callgrind", "instructions per input", lambda isa=isa: callgrind(build, "sha256d64", isa)
        yield (f"messages {isa}", "callgrind", "instructions per block",
               lambda isa=isa: callgrind(build, "messages", isa) / LANES[isa])
        if LANES[isa] > 1:
            yield (f"message {isa}", "callgrind", "instructions per block",
                   lambda isa=isa: callgrind(build, "message", isa))
    for form, name in SEARCHES:
        yield (f"search avx512 {form}", "disassembly", "instructions per hash",
               lambda name=name: search_in_code(build, "avx512", name))
    yield "sha256d64 avx512", "disassembly", "instructions per input", lambda: batch_in_code(build, "avx512")
    yield "messages avx512", "disassembly", "instructions per block", lambda: messages_in_code(build, "avx512")
    for isa, member in SHA_NI.items():
        for form, name in SEARCHES:
            yield (f"search {isa} {form}", "disassembly", "instructions in the code",
                   lambda member=member, name=name: code_of(build, member, name))
    for kernel, name in {"shani": "sha256d64_shani", "shani:4": "sha256d64_shani_x4"}.items():
        yield (f"sha256d64 {kernel}", "disassembly", "instructions in the code",
               lambda name=name: code_of(build, "sha256d64_shani", name))
    yield from rows_of_messages_in_code(
        build, "shani", {"messages shani": "messages_shani", "messages shani:4": "messages_shani_x4"})
    yield from rows_of_program(build)


def rows_of_program(build):
    for isa in VOCABULARIES:
        for form, versions in FORMS.items():
            yield (f"program {isa} {form}", "program", "operations per hash",
                   lambda isa=isa, versions=versions: operations(
                       build, isa, {"nonce": 1 / versions, "hash1": 1, "hash2": 1}, "--versions", versions))
        yield (f"program {isa} sha256d64", "program", "operations per input",
               lambda isa=isa: operations(build, isa, {"block1": 1, "hash1": 1, "hash2": 1}, "--batch"))


def count_rows(build, pattern):
    """Rows as objects; "count" is null where "why_not" says why."""
    rows = rows_of_arm64 if is_arm64(build) else rows_of_x86
    def counted(name, kind, unit, count):
        try:
            return {"name": name, "kind": kind, "unit": unit, "count": round(count(), 2)}
        except NotCounted as reason:
            return {"name": name, "kind": kind, "unit": unit, "count": None, "why_not": str(reason)}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda row: counted(*row), (row for row in rows(build) if re.search(pattern, row[0]))))


# --- judging and printing -------------------------------------------------------------------------------------

def section_of(row, compiler):
    return "any compiler" if row["kind"] == "program" else compiler


def judge(rows, record, compiler):
    """Complaints, remarks, and why not all is compared."""
    complaints, remarks, skipped = [], [], []
    for row in rows:
        section = section_of(row, compiler)
        before = row["recorded"] = record.get(section, {}).get(row["name"])
        if row["count"] is None:
            skipped.append(row["why_not"])
        elif section not in record:
            skipped.append(f"nothing is recorded for {section}, only for "
                           f"{', '.join(s for s in record if s != 'any compiler') or 'no compiler'}")
        elif before is None:
            remarks.append(f"Remark: {row['name']}: {row['count']} {row['unit']}, nothing is recorded")
        elif row["count"] > before * (1 + TOLERANCE):
            complaints.append(f"{row['name']}: {row['count']} {row['unit']}, recorded is {before}: "
                              f"{row['count'] / before - 1:+.1%}")
        elif row["count"] < before * (1 - TOLERANCE):
            remarks.append(f"Good news: {row['name']}: {row['count']} {row['unit']}, recorded is {before}: "
                           f"{row['count'] / before - 1:+.1%}")
    return complaints, remarks, list(dict.fromkeys(skipped))


def print_table(rows, compiler):
    number = lambda x: "-" if x is None else f"{x:.2f}"
    table = [["", "count", "", "recorded", "change", f"by ({compiler})"]]
    for row in rows:
        both = row["count"] is not None and row["recorded"]
        table.append([row["name"], number(row["count"]), row["unit"], number(row["recorded"]),
                      f"{row['count'] / row['recorded'] - 1:+.2%}" if both else "-", row["kind"]])
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    for line in table:
        cells = [cell.rjust(w) if i in (1, 3, 4) else cell.ljust(w) for i, (cell, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def write_record(path, rows, record, compiler):
    for section in dict.fromkeys(section_of(row, compiler) for row in rows):
        record[section] = {row["name"]: row["count"] for row in rows if section_of(row, compiler) == section}
    path.write_text(json.dumps(record, indent=1) + "\n")


def compiler_of(build):
    """Name and major version, and what it compiles for if that is not x86-64: "GNU 12"."""
    text = (build / "gpuminer_build_info.hpp").read_text()
    return re.search(r'kCompiler\[\] = "([^".]*)', text)[1] + (" for ARM64" if is_arm64(build) else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="default: build/release")
    parser.add_argument("--counts", type=Path, default=RECORD, help="what to compare with (default: %(default)s)")
    parser.add_argument("--only", metavar="REGEX", default="", help="count only what is named like that")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--record", action="store_true", help="write the file with counts, for this compiler, first")
    options = parser.parse_args()

    build = options.build.resolve()
    needed = ["CMakeCache.txt", "gpuminer_build_info.hpp", "cpu/libgpuminer_cpu_isa.a"]
    if not (build / needed[0]).exists() or not is_arm64(build):  # there it counts in the machine code alone
        needed += ["gpuminer-bench-bare", "gpuminer-kernelgen"]
    missing = [name for name in needed if not (build / name).exists()]
    if missing:
        parser.error(f"expected a build in {build}, and there is no {', '.join(missing)}")
    if options.record and options.only:
        parser.error("--record needs every count: leave out --only")
    compiler = compiler_of(build)
    rows = count_rows(build, options.only)
    record = json.loads(options.counts.read_text()) if options.counts.exists() else {}
    if options.record and all(row["count"] is not None for row in rows):
        write_record(options.counts, rows, record, compiler)
    complaints, remarks, skipped = judge(rows, record, compiler)
    if options.json:
        print(json.dumps({"compiler": compiler, "counts": rows}, indent=1))
    else:
        print_table(rows, compiler)
    for sentence in remarks:
        print(f"{sentence}. Record it: bench/tools/instruction_counts.py --record", file=sys.stderr)
    for sentence in complaints:
        print(f"instruction_counts.py: {sentence}. If it is worth that: bench/tools/instruction_counts.py --record",
              file=sys.stderr)
    for reason in skipped:
        print(f"SKIPPED: {reason}", file=sys.stderr)
    return 1 if complaints or (options.record and skipped) else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
