#!/usr/bin/env python3
"""Instructions per hash of the OpenCL kernels for Intel's GPUs, without a GPU.

Debian 12's packages of Intel's compiler are unpacked in build/intel-root, where no OpenCL loader sees them. Exit status 1: a
kernel spills registers, or needs over 1 % more than intel_counts.json has of that driver's compiler. The counts of one that is
not recorded are printed, and SKIPPED.
"""
import sys
from pathlib import Path

import gpu_counts
from gpu_code import GROUP, ROOT, VERSIONS
from intel_code import LANES, Ocloc, make_root

CHIPS = {"skl": "gen9", "tgllp": "xe", "dg2": "xehpg"}  # by the compiler's name: the disassembler's
MIXES = {"skl": ["plain"], "tgllp": ["plain"], "dg2": ["plain", "bfn"]}


def faults(row):
    if row["spills"]:
        yield f"spills is {row['spills']}"


TOOL = gpu_counts.Tool(
    record=Path(__file__).resolve().with_name("intel_counts.json"), recorded=["slots", "sends", "local_bytes"],
    columns={"slots": "slots", "sends": "sends", "lanes": "lanes", "local_bytes": "local", "code_bytes": "code"},
    explanation=f"Slots of an execution unit, and messages, for the hashes of {LANES} lanes; rolled: with {VERSIONS} versions. Lanes of a "
                f"thread; bytes of local memory for a work group of {GROUP}, and of code.",
    faults=faults)


def gather(options):
    try:
        compiler = Ocloc(make_root(ROOT / "build/intel-root"), options.build.resolve())
    except (OSError, RuntimeError) as error:
        return [], [f"Intel's OpenCL: {error}"]
    return gpu_counts.measure([({"compiler": compiler.version, "chip": chip, "form": form, "mix": mix}, compiler.kernel,
                                (chip, CHIPS[chip], form == "rolled", mix))
                               for chip in CHIPS for form in gpu_counts.FORMS for mix in MIXES[chip]]), []


def main():
    return gpu_counts.main(TOOL, gather, gpu_counts.parser_of(__doc__, ROOT).parse_args())


if __name__ == "__main__":
    sys.exit(main())
