"""The machine code of a linked program: instructions, symbols and constants, from binutils."""
import bisect
import functools
import re
import struct
import subprocess
from typing import NamedTuple

from program import Unreadable

_WIDTHS = {"xmm": 16, "ymm": 32, "zmm": 64}
_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
_REGISTERS = {}
for _wide, _names in {"rax": "eax ax al", "rbx": "ebx bx bl", "rcx": "ecx cx cl", "rdx": "edx dx dl", "rsi": "esi si sil",
                      "rdi": "edi di dil", "rbp": "ebp bp bpl", "rsp": "esp sp spl",
                      **{f"r{n}": f"r{n}d r{n}w r{n}b" for n in range(8, 16)}}.items():
    for _name, _size in zip([_wide, *_names.split()], (8, 4, 2, 1)):
        _REGISTERS[_name] = (_wide, _size)


class Operand(NamedTuple):
    kind: str  # "register", "vector", "mask", "number", "memory", "code"
    size: int = 0
    name: object = None  # of a register, or the number, or the address of constants and code
    base: str = None
    index: str = None
    scale: int = 0
    offset: int = 0
    broadcast: bool = False


class Instruction(NamedTuple):
    address: int
    verb: str
    operands: tuple
    next: int  # the address after it
    text: str


def _memory(text, constant):
    match = re.fullmatch(r"(?:(\w+) (PTR|BCST) )?\[(.*)\]", text)
    if not match:
        raise Unreadable(f"operand '{text}'")
    size, broadcast = _SIZES[match[1]] if match[1] else 0, match[2] == "BCST"
    if match[3].startswith("rip"):
        if constant is None:
            raise Unreadable(f"operand '{text}'")
        return Operand("memory", size, constant, broadcast=broadcast)
    base = index = None
    scale = offset = 0
    for sign, part in re.findall(r"([+-]?)([^+-]+)", match[3]):
        if "*" in part:
            index, scale = part.split("*")
            scale = int(scale)
        elif part.startswith("0x"):
            offset = int(part, 16) * (-1 if sign == "-" else 1)
        elif base is None:
            base = part
        else:
            index, scale = part, 1
    return Operand("memory", size, None, base, index, scale, offset, broadcast)


@functools.cache
def _operand(text, constant):
    if text in _REGISTERS:
        return Operand("register", _REGISTERS[text][1], _REGISTERS[text][0])
    match = re.fullmatch(r"([xyz]mm)(\d+)", text)
    if match:
        return Operand("vector", _WIDTHS[match[1]], f"v{match[2]}")
    if re.fullmatch(r"k[0-7]", text):
        return Operand("mask", 8, text)
    if re.fullmatch(r"-?0x[0-9a-f]+|[0-9]", text):
        return Operand("number", 0, int(text, 0))
    if re.fullmatch(r"[0-9a-f]+", text):
        return Operand("code", 8, int(text, 16))
    return _memory(text, constant)


def parse_line(line):
    """(address, verb, operands, text) of a line of objdump; None for any other line."""
    address, colon, text = line.partition(":\t")
    if not colon:
        return None
    text, _, comment = text.partition("#")
    text = text.partition("<")[0].strip()
    while text.startswith(("cs ", "data16 ", "bnd ", "notrack ")):
        text = text.split(None, 1)[1]
    verb, _, rest = text.partition(" ")
    if verb == "nop" or text == "xchg   ax,ax":
        return int(address, 16), "nop", (), text
    constant = int(comment.split()[0], 16) if comment else None
    operands = tuple(_operand(part.strip(), constant) for part in rest.split(",")) if rest else ()
    return int(address, 16), verb, operands, text


class Program:
    def __init__(self, path):
        self.path = path
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
