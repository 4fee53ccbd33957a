"""Device code in objects that nvcc made: the cubins of each GPU generation, their kernels' registers and instructions, and the
tools that read them."""
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ELF = b"\x7fELF"
FATBIN = struct.pack("<IH", 0xBA55ED50, 1)  # magic number, version
KIND_ELF = 2  # of what a fatbin holds; PTX is 1
COMPRESSED = 0x2000 | 0x8000  # flags
REGISTER_COUNT = (4, 0x2F)  # EIATTR_REGCOUNT, an attribute with a size


def cubins_of(data):
    """{architecture: cubin} of the bytes of an object file; only what is compiled and not compressed."""
    found = {}
    start = data.find(FATBIN)
    while start >= 0:
        header, size = struct.unpack_from("<HQ", data, start + 6)
        place, end = start + header, start + header + size
        while place < end:
            kind, header, size, architecture, flags = struct.unpack_from("<H2xIQ12xI8xI", data, place)
            body = data[place + header:place + header + size]
            if kind == KIND_ELF and not flags & COMPRESSED and body.startswith(ELF):
                found[architecture] = body
            place += header + size
        start = data.find(FATBIN, end)
    return found


def text_at(data, place):
    return data[place:data.index(b"\0", place)].decode()


def registers_of(cubin):
    """{name of a kernel: registers of a thread}"""
    sections_at, entry, count, names_index = (
        struct.unpack_from("<Q", cubin, 40)[0], *struct.unpack_from("<HHH", cubin, 58))
    headers = [struct.unpack_from("<IIQQQQII", cubin, sections_at + i * entry) for i in range(count)]
    sections = {}
    for name, _, _, _, offset, size, link, _ in headers:
        sections[text_at(cubin, headers[names_index][4] + name)] = (offset, size, link)
    offset, size, link = sections[".symtab"]
    symbols = [text_at(cubin, headers[link][4] + struct.unpack_from("<I", cubin, place)[0])
               for place in range(offset, offset + size, 24)]
    place, size, _ = sections[".nv.info"]
    end = place + size
    found = {}
    while place < end:
        form, attribute, value = struct.unpack_from("<BBH", cubin, place)
        if (form, attribute) == REGISTER_COUNT:
            symbol, registers = struct.unpack_from("<II", cubin, place + 4)
            found[symbols[symbol]] = registers
        place += 4 + (value if form == 4 else 0)
    return found


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"sass_count.py: this command failed: {' '.join(command)}\n{done.stdout}")
    return done.stdout


class Kernel:
    """One kernel, disassembled."""

    def __init__(self, name):
        self.name = name
        self.code = []  # instructions without their predicates' guards being taken off
        self.labels = {}  # label: index of the instruction that follows
        self.registers = self.spills = None

    def target(self, index):
        """Index of the instruction that the branch at `index` goes to; None: it is no branch, or one of a call."""
        match = re.search(r"\bBRA\b.*?\((\.L_\w+)\)|\bSYNC\b.*BRANCH_TARGETS (\.L_\w+)\"", self.code[index])
        return self.labels.get(match[1] or match[2]) if match else None

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


def register_reads(kernel):
    """Of each instruction, how many registers of even and of odd number it reads, from Volta on. Each half of the register
    file yields one register of a warp per cycle; an operand of the instruction before that says `.reuse` is kept."""
    reads, kept = [], {}
    for line in kernel.code:
        operands = re.sub(r"^@!?U?P\w+\s+", "", line).partition(" ")[2].split(",")[1:]
        matches = [(place, re.fullmatch(r"[-~|]*R(\d+)(\.reuse)?\|?", operand.strip())) for place, operand in enumerate(operands)]
        found = [(place, *match.groups()) for place, match in matches if match]
        fetched = {int(number) for place, number, _ in found if kept.get(place) != number}
        kept = {place: number for place, number, reuse in found if reuse}
        reads.append([sum(number % 2 == half for number in fetched) for half in (0, 1)])
    return reads


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
            kernels[-1].code.append(instruction[1].strip("{} "))  # braces: two that start together, before sm_70
    return kernels


def spilled_bytes(kernel):
    """What its stores to and loads from local memory move; it has no arrays of its own there."""
    moved = 0
    for i in range(len(kernel.code)):
        parts = kernel.opcode(i).split(".")
        if parts[0] in ("STL", "LDL"):
            moved += 16 if "128" in parts else 8 if "64" in parts else 4
    return moved


def find_tool(name, given, beside=None):
    candidates = [given, beside and str(Path(beside).resolve().with_name(name)), shutil.which(name),
                  f"/usr/local/cuda/bin/{name}", str(ROOT / "build/cuda-toolkit/nvidia/cu13/bin" / name)]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


def release_of(nvcc):
    return re.search(r"V(\d+\.\d+\.\d+)", run([nvcc, "--version"]))[1]


def understands(tool, architecture):
    """Whether this ptxas or nvdisasm is for a generation: those of CUDA 13 begin with 7.5, those before are for the rest."""
    if tool is None:
        return False
    release = re.search(r"release (\d+)\.", run([tool, "--version"]))
    return (int(release[1]) < 13) == (architecture < 75)
