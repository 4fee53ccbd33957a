"""Kernels for Intel's GPUs as the compiler of Intel's OpenCL driver makes them, without a GPU: the instructions that a hash takes."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from gpu_code import ROOT, SHORT, Code, opencl_options, run

PACKAGES = ["intel-opencl-icd", "libigc1", "libigc-tools", "libigdfcl1", "libigdgmm12", "libllvmspirvlib14", "libopencl-clang14"]
LANES = 8  # of an instruction that takes one slot
NO_SLOT = {"nop", "sync", "illegal"}
INSTRUCTION = re.compile(r"(\(.*?\))?\s+([a-z]\w*)\S*\s*(?:\((\d+)\|M(\d+)\))?(.*)")


class IntelCode(Code):
    """Instructions as (opcode, lanes that it computes, its last lane or 0 where it is for all, operands)."""

    def __init__(self, text):
        super().__init__()
        for line in text.splitlines():
            if found := re.match(r"(L\d+):", line):
                self.labels[found[1]] = len(self.code)
            elif found := INSTRUCTION.match(line):
                predicate, opcode, lanes, first, operands = found.groups()
                for_all = "W" in (predicate or "")
                self.code.append((opcode, int(lanes or 1), 0 if for_all else int(lanes or 1) + int(first or 0), operands))
        self.lanes = max(last for _, _, last, _ in self.code)

    def is_end(self, place):
        return "EOT" in self.code[place][3]

    def next(self, place):
        """Over what notes a candidate, which is short and sends messages; back to a loop's start."""
        opcode, _, _, operands = self.code[place]
        label = re.search(r"L\d+", operands) if opcode in ("goto", "if", "jmpi", "while") else None
        target = self.labels[label[0]] if label else place
        if target < place:
            return target
        skipped = self.code[place:target]
        notes = len(skipped) < SHORT and any(instruction[0].startswith("send") for instruction in skipped)
        return target if notes else place + 1

    def slots(self, rolled):
        """Of an execution unit for the hashes of 8 lanes; an instruction that computes fewer takes as much."""
        return self.per_hash(rolled, lambda one: 0 if one[0] in NO_SLOT else max(1, one[1] / LANES)) * LANES / self.lanes

    def sends(self, rolled):
        return self.per_hash(rolled, lambda one: one[0].startswith("send")) * LANES / self.lanes


def make_root(folder):
    """The compiler's packages, unpacked: a driver that is installed would be a device of the tests. RuntimeError where there are none."""
    if folder.exists():
        return folder
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise RuntimeError("the packages of Intel's compiler are Debian's, and this is another system")
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    run("apt-get", "download", *PACKAGES, cwd=new, stdin=subprocess.DEVNULL, timeout=1800)
    for package in new.glob("*.deb"):
        run("dpkg", "-x", package, new)
        package.unlink()
    return new.rename(folder)


class Ocloc:
    """Intel's compiler in the root that make_root() makes."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(next(root.glob("usr/lib/*-linux-gnu")))}
        with tempfile.TemporaryDirectory() as folder:
            self.run("ocloc", "query", "OCL_DRIVER_VERSION", cwd=folder)
            self.version = "NEO " + Path(folder, "OCL_DRIVER_VERSION").read_text(errors="replace").strip("\0\n ")

    def run(self, program, *arguments, **options):
        return run(self.root / "usr/bin" / program, *arguments, env=self.environment, **options)

    def kernel(self, chip, platform, rolled, mix):
        """`platform`: the chip's in the disassembler."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "search.cl").write_text(flat_text(self.build))
            said = self.run("ocloc", "compile", "-file", "search.cl", "-device", chip, "-out_dir", "made", "-options",
                            " ".join(opencl_options(self.build, rolled, mix)), cwd=folder)
            self.run("ocloc", "disasm", "-file", next((folder / "made").glob("*.bin")), "-dump", "parts", "-device", chip, cwd=folder)
            heap = folder / "parts/search_KernelHeap.dat"
            self.run("iga64", "-d", f"-p={platform}", heap, "-o", "assembly", cwd=folder)
            code = IntelCode((folder / "assembly").read_text())
            spilled = re.search(r"spilled around (\d+)", said)
            if "INVALID" in said:
                raise RuntimeError(f"{chip}: {said.strip()}")
            return {"slots": code.slots(rolled), "sends": code.sends(rolled), "lanes": code.lanes,
                    "local_bytes": local_bytes((folder / "parts/PTM.txt").read_text(errors="replace")),
                    "code_bytes": heap.stat().st_size, "spills": int(spilled[1]) if spilled else 0}


def flat_text(build):
    """opencl/search.cl with what it includes, as the program has it."""
    folders = [ROOT / "opencl", build / "generated"]

    def included(match):
        return next(folder / match[1] for folder in folders if (folder / match[1]).exists()).read_text()
    return re.sub(r'#include "(.+)"\n', included, (ROOT / "opencl/search.cl").read_text())


def local_bytes(tokens):
    """Local memory of a work group, from the driver's description of the kernel (token 15: offset, size)."""
    found = re.search(r"Token 15\n\s+\d+ Size \d+\n\s+Hex((?: \w+){8})", tokens)
    return int.from_bytes(bytes(int(byte, 16) for byte in found[1].split()[4:]), "little") if found else 0
