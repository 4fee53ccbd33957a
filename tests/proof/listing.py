"""The machine code of a linked program: instructions, symbols and constants, from binutils."""
import bisect
import re
import struct
import subprocess

from instruction import Instruction
from program import Unreadable
from x86_listing import parse_line


class Program:
    def __init__(self, path):
        self.path, self.architecture = path, "x86"
        self.symbols = {}  # name: [address, …], as many files may have one of that name
        for line in self._run("nm", path).splitlines():
            fields = line.split()
            if len(fields) == 3 and fields[1] in "tT":
                self.symbols.setdefault(fields[2], []).append(int(fields[0], 16))
        self._starts = sorted({address for addresses in self.symbols.values() for address in addresses})
        self._instructions = {}
        self.loops = {}  # what engine.py has found of its functions
        with open(path, "rb") as file:
            self._bytes = file.read()
        self._sections = []
        for line in self._run("readelf", "-SW", path).splitlines():
            match = re.match(r"\s*\[\s*\d+\]\s+(\.rodata\S*)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)", line)
            if match:
                self._sections.append((int(match[2], 16), int(match[3], 16), int(match[4], 16)))

    @staticmethod
    def _run(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

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
        lines = self._run("objdump", "-d", "--no-show-raw-insn", "-M", "intel", f"--start-address={start:#x}",
                          f"--stop-address={stop:#x}", self.path).splitlines()
        parsed = [each for each in map(parse_line, lines) if each]
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
