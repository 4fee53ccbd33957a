#!/usr/bin/env python3
"""Vector instructions per hash of the kernels for AMD's GPUs, without a GPU.

Mesa's RADV makes pipelines of the Vulkan shaders on its null device, clang compiles the OpenCL text, both for chips of
interest. Exit status 1: a shader makes no pipeline, a kernel spills vector registers or uses scratch memory, its code is too
large for the instruction cache, or it needs over 1 % more than amd_counts.json has of that compiler. The counts of a compiler
that is not recorded are printed, and SKIPPED.

With --all also by the Mesa of Debian 13, in a root made by mmdebstrap.
"""
import sys
from pathlib import Path

import gpu_counts
from amd_code import Mesa, clang_version, make_root, opencl_kernel
from gpu_code import GROUP, ROOT, VERSIONS
from gpu_counts import FORMS, measure

CODE_CACHE = 32768  # bytes
SHADERS = {"plain": 0, "adds": 1, "all-adds": 2, "adds+shifts+rotations": 3, "radv": 4}  # gpu::Mix by name
SHADERS_OF_RADV = ["plain", "radv"]  # those that it is given; the others only have to make pipelines
TEXTS = ["plain", "bfi"]  # of OpenCL
COUNTED = {*SHADERS_OF_RADV, *TEXTS}
RADV_CHIPS = ["polaris10", "vega10", "navi10", "navi21"]  # known to each Mesa
NEWER_RADV_CHIPS = ["mi100", "navi31", "gfx1150", "gfx1200"]  # to that of Debian 13
OPENCL_CHIPS = ["gfx803", "gfx900", "gfx906", "gfx90a", "gfx1010", "gfx1030"]  # known to clang 14
NEWER_OPENCL_CHIPS = ["gfx942", "gfx1100", "gfx1201"]  # to clang 19


def rows_by_clang(clang, compiler, build):
    chips = OPENCL_CHIPS + (NEWER_OPENCL_CHIPS if int(compiler.split()[1]) >= 19 else [])
    return measure([({"compiler": compiler, "chip": chip, "form": form, "mix": mix}, opencl_kernel,
                     (clang, build, chip, form == "rolled", mix))
                    for chip in chips for form in FORMS for mix in TEXTS])


def rows_by_mesa(mesa, chips):
    return measure([({"compiler": mesa.version, "chip": chip, "form": form, "mix": mix}, mesa.kernel, (chip, form == "rolled", number))
                    for chip in chips for form in FORMS for mix, number in SHADERS.items()])


def is_counted(row):
    return row["mix"] in COUNTED


def faults(row):
    for name in ("spills", "scratch_bytes"):
        if row[name]:
            yield f"{name} is {row[name]}"
    if is_counted(row) and row["code_bytes"] > CODE_CACHE:
        yield f"its code of {row['code_bytes']} bytes does not fit the instruction cache"


TOOL = gpu_counts.Tool(
    record=Path(__file__).resolve().with_name("amd_counts.json"), recorded=["vector", "registers", "shared_bytes"],
    columns={"vector": "vector", "registers": "registers", "shared_bytes": "shared", "code_bytes": "code"},
    explanation=f"Vector instructions per hash; rolled: with {VERSIONS} versions. Registers of a lane; bytes of shared memory for a work "
                f"group of {GROUP}, and of code.",
    faults=faults, is_counted=is_counted)


def gather(options):
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
    parser = gpu_counts.parser_of(__doc__, ROOT)
    parser.add_argument("--clang", default="clang-14", help="compiler of the OpenCL text (default: clang-14)")
    parser.add_argument("--all", action="store_true", help="also by the Mesa of Debian 13")
    return gpu_counts.main(TOOL, gather, parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
