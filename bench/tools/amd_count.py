#!/usr/bin/env python3
"""Vector instructions per hash of the kernels for AMD's GPUs, without a GPU.

Mesa's RADV makes pipelines of the Vulkan shaders on its null device, clang compiles the OpenCL text, both for chips of
interest. Exit status 1: a shader makes no pipeline, a kernel spills vector registers or uses scratch memory, its code is too
large for the instruction cache, or it needs over 1 % more than amd_counts.json has of that compiler. The counts of a compiler
that is not recorded are printed, and SKIPPED.

With --all also by the Mesa of Debian 13, in a root made by mmdebstrap.
"""
import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from amd_code import GROUP, ROOT, VERSIONS, Mesa, clang_version, make_root, opencl_kernel

RECORD = Path(__file__).resolve().with_name("amd_counts.json")
FORMS = ["fixed", "rolled"]
TOLERANCE = 0.01  # of what was recorded, as in sass_count.py
CODE_CACHE = 32768  # bytes
SHADERS = {"plain": 0, "adds": 1, "all-adds": 2, "adds+shifts+rotations": 3, "radv": 4}  # gpu::Mix by name
SHADERS_OF_RADV = ["plain", "radv"]  # those that it is given; the others only have to make pipelines
TEXTS = {"plain": 0, "bfi": 1}  # the option BFI of OpenCL's text by mix
COUNTED = {*SHADERS_OF_RADV, *TEXTS}
RADV_CHIPS = ["polaris10", "vega10", "navi10", "navi21"]  # known to each Mesa
NEWER_RADV_CHIPS = ["mi100", "navi31", "gfx1150", "gfx1200"]  # to that of Debian 13
OPENCL_CHIPS = ["gfx803", "gfx900", "gfx906", "gfx90a", "gfx1010", "gfx1030"]  # known to clang 14
NEWER_OPENCL_CHIPS = ["gfx942", "gfx1100", "gfx1201"]  # to clang 19
RECORDED = ["vector", "registers", "shared_bytes"]


def measure(jobs):
    """Rows of jobs: (what is measured, function, its arguments)."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tasks = [(what, pool.submit(function, *arguments)) for what, function, arguments in jobs]
        return [{**what, **task.result()} for what, task in tasks]


def rows_by_clang(clang, compiler, build):
    chips = OPENCL_CHIPS + (NEWER_OPENCL_CHIPS if int(compiler.split()[1]) >= 19 else [])
    return measure([({"compiler": compiler, "chip": chip, "form": form, "mix": mix}, opencl_kernel,
                     (clang, build, chip, form == "rolled", bfi))
                    for chip in chips for form in FORMS for mix, bfi in TEXTS.items()])


def rows_by_mesa(mesa, chips):
    return measure([({"compiler": mesa.version, "chip": chip, "form": form, "mix": mix}, mesa.kernel, (chip, form == "rolled", number))
                    for chip in chips for form in FORMS for mix, number in SHADERS.items()])


def key_of(row):
    return f"{row['chip']} {row['form']} {row['mix']}"


def recorded_part(row):
    return {name: round(row[name], 3) for name in RECORDED}


def faults(row):
    """What is wrong with a kernel, whatever was recorded."""
    for name in ("spills", "scratch_bytes"):
        if row[name]:
            yield f"{name} is {row[name]}"
    if row["mix"] in COUNTED and row["code_bytes"] > CODE_CACHE:
        yield f"its code of {row['code_bytes']} bytes does not fit the instruction cache"


def judge(rows, record):
    """Complaints, and the compilers of which there is no record."""
    complaints = [f"{row['compiler']}: {key_of(row)}: {fault}" for row in rows for fault in faults(row)]
    unknown = set()
    for row in rows:
        if row["mix"] not in COUNTED:
            continue
        if row["compiler"] not in record:
            unknown.add(row["compiler"])
            continue
        before = record[row["compiler"]].get(key_of(row), {})
        for what, value in recorded_part(row).items():
            if what not in before or value > before[what] * (1 + TOLERANCE):
                complaints.append(f"{row['compiler']}: {key_of(row)}: {what} is {value}, recorded is {before.get(what, 'nothing')}")
    return complaints, sorted(unknown)


def print_table(rows):
    heads = ["compiler", "chip", "form", "mix", "vector", "registers", "shared", "code"]
    table = [heads] + [[row["compiler"], row["chip"], row["form"], row["mix"], f"{row['vector']:.0f}", str(row["registers"]),
                        str(row["shared_bytes"]), str(row["code_bytes"])] for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(heads))]
    for line in table:
        print("  ".join(cell.ljust(w) if i < 4 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip())
    print(f"Vector instructions per hash; rolled: with {VERSIONS} versions. Registers of a lane; bytes of shared memory for a work group "
          f"of {GROUP}, and of code.")


def gather(options):
    """All rows; why some are missing."""
    build, rows, missing = options.build.resolve(), [], []
    try:
        compiler = clang_version(options.clang)
    except (OSError, RuntimeError) as error:
        missing.append(f"OpenCL: {error}")
    else:
        rows += rows_by_clang(options.clang, compiler, build)
    program = build / "gpuminer-bench-pipeline"
    for chips, root in [(RADV_CHIPS, None)] + [(RADV_CHIPS + NEWER_RADV_CHIPS, ROOT / "build/mesa-root")] * options.all:
        try:
            if not program.exists():
                raise RuntimeError(f"{program} is not built")
            mesa = Mesa(program, build, root and make_root(root))
        except (OSError, RuntimeError) as error:
            missing.append(f"RADV{' of Debian 13' if root else ''}: {error}")
        else:
            rows += rows_by_mesa(mesa, chips)
            mesa.close()
    return rows, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="build folder (default: build/release)")
    parser.add_argument("--clang", default="clang-14", help="compiler of the OpenCL text (default: clang-14)")
    parser.add_argument("--all", action="store_true", help="also by the Mesa of Debian 13")
    parser.add_argument("--record", action="store_true", help=f"write the counts of these compilers to {RECORD.name}")
    options = parser.parse_args()
    try:
        rows, missing = gather(options)
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"amd_count.py: {error}")
    counted = [row for row in rows if row["mix"] in COUNTED]
    if rows:
        print_table(counted)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if options.record:
        record.update({compiler: {key_of(row): recorded_part(row) for row in counted if row["compiler"] == compiler}
                       for compiler in {row["compiler"] for row in counted}})
        compilers = ["{}: {{\n{}\n}}".format(json.dumps(compiler), ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}"
                                                                                   for key, value in kernels.items()))
                     for compiler, kernels in sorted(record.items())]
        RECORD.write_text("{\n" + ",\n".join(compilers) + "\n}\n")
    complaints, unknown = judge(rows, record)
    for complaint in complaints:
        print(f"amd_count.py: {complaint}", file=sys.stderr)
    for reason in missing + [f"the comparison: the record has nothing of {compiler}" for compiler in unknown]:
        if not complaints:  # ctest would take failures for skipped
            print(f"SKIPPED {reason}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
