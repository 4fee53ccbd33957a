"""Lines of objdump's listing of x86-64 machine code, in Intel's syntax."""
import functools
import re

from instruction import Operand
from program import Unreadable

_WIDTHS = {"xmm": 16, "ymm": 32, "zmm": 64}
_SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}
_REGISTERS = {}
for _wide, _names in {"rax": "eax ax al", "rbx": "ebx bx bl", "rcx": "ecx cx cl", "rdx": "edx dx dl", "rsi": "esi si sil",
                      "rdi": "edi di dil", "rbp": "ebp bp bpl", "rsp": "esp sp spl",
                      **{f"r{n}": f"r{n}d r{n}w r{n}b" for n in range(8, 16)}}.items():
    for _name, _size in zip([_wide, *_names.split()], (8, 4, 2, 1)):
        _REGISTERS[_name] = (_wide, _size)


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
    if verb == "vpgatherdd":  # the only one that is known with a mask of lanes
        rest = re.sub(r"\{(k[1-7])\},", r",\1,", rest)
    operands = tuple(_operand(part.strip(), constant) for part in rest.split(",")) if rest else ()
    return int(address, 16), verb, operands, text
