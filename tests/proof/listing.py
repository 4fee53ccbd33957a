"""The machine code of a linked program: instructions, symbols and constants, from binutils."""
import bisect
import re
import shutil
import struct
import subprocess
from typing import NamedTuple

import arm64_listing
import x86_listing
from instruction import Instruction
from program import Unreadable


class _Processor(NamedTuple):
    name: str
    prefix: str  # of its binutils
    options: tuple  # of objdump
    parse_line: object  # (address, verb, operands, text) of a line of objdump; None for any other line


_PROCESSORS = {62: _Processor("x86", "x86_64-linux-gnu-", ("-M", "intel"), x86_listing.parse_line),
               183: _Processor("arm64", "aarch64-linux-gnu-", (), arm64_listing.parse_line)}  # by the number in ELF's header


class Program:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self._bytes = file.read()
        number = int.from_bytes(self._bytes[18:20], "little")
        if self._bytes[:4] != b"\x7fELF" or number not in _PROCESSORS:
            raise Unreadable(f"{path} is for a processor that the reader does not know")
        self._processor = _PROCESSORS[number]
        self.architecture = self._processor.name
        self.symbols = {}  # name: [address, …], as many files may have one of that name
        for line in self._run("nm", path).splitlines():
            fields = line.split()
            if len(fields) == 3 and fields[1] in "tT":
                self.symbols.setdefault(fields[2], []).append(int(fields[0], 16))
        self._starts = sorted({address for addresses in self.symbols.values() for address in addresses})
        self._instructions = {}
        self.loops = {}  # what engine.py has found of its functions
        self.imports = {}  # names of other libraries' functions, by the place that has their address
        for line in self._run("readelf", "-rW", path).splitlines():
            match = re.match(r"([0-9a-f]+)\s+\S+\s+R_X86_64_(?:JUMP_SLOT?|GLOB_DAT)\s+\S+\s+(\w+)", line)
            if match:
                self.imports[int(match[1], 16)] = match[2]
        self._sections = []
        for line in self._run("readelf", "-SW", path).splitlines():
            match = re.match(r"\s*\[\s*\d+\]\s+(\.rodata\S*)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)", line)
            if match:
                self._sections.append((int(match[2], 16), int(match[3], 16), int(match[4], 16)))

    def _run(self, tool, *arguments):
        command = next(filter(shutil.which, (self._processor.prefix + tool, tool)), tool)
        return subprocess.run((command, *arguments), capture_output=True, text=True, check=True).stdout

    def instruction(self, address):
        if address not in self._instructions:
            self._disassemble(address)
        return self._instructions[address]

    def exchange(self, instruction):
        """Tests put another instruction in the place of one."""
        self._instructions[instruction.address] = instruction
        self.loops.clear()

    def _disassemble(self, address):
        place = bisect.bisect_right(self._starts, address)
        start, stop = self._starts[place - 1], self._starts[place]
        lines = self._run("objdump", "-d", "--no-show-raw-insn", *self._processor.options, f"--start-address={start:#x}",
                          f"--stop-address={stop:#x}", self.path).splitlines()
        parsed = [each for each in map(self._processor.parse_line, lines) if each]
        for this, following in zip(parsed, [each[0] for each in parsed[1:]] + [stop]):
            self._instructions[this[0]] = Instruction(this[0], this[1], this[2], following, this[3])
        if address not in self._instructions:
            raise Unreadable(f"no instruction begins at {address:x}")

    def constants(self, address, size):
        """Read-only 32-bit words of the program."""
        for start, offset, length in self._sections:
            if start <= address and address + size <= start + length:
                return struct.unpack_from(f"<{size // 4}I", self._bytes, offset + address - start)
        raise Unreadable(f"a load from {address:x}, which is not among the constants")
