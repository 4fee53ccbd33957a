"""Lines of objdump's listing of AArch64 machine code.

The arrangement of vectors becomes a part of the verb: `add v0.4s, v1.4s, v2.4s` is "add.4s" of three operands.
"""
import functools
import re

from instruction import Operand

_WIDTHS = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
_REGISTERS = {"sp": ("sp", 8), "wsp": ("sp", 4), "xzr": ("zr", 8), "wzr": ("zr", 4),
              **{f"x{n}": (f"x{n}", 8) for n in range(31)}, **{f"w{n}": (f"x{n}", 4) for n in range(31)}}
_OF_CONDITIONS = {"csel": 3, "csinc": 3, "csinv": 3, "csneg": 3, "cset": 1, "csetm": 1, "cinc": 2, "cinv": 2, "cneg": 2}


def _memory(text):
    match = re.fullmatch(r"\[(\w+)(?:, (?:#(-?\w+)|(\w+)(?:, (\w+)(?: #(\d+))?)?))?\](!?)", text)
    if not match or match[1] not in _REGISTERS or match[3] and match[3] not in _REGISTERS:
        return Operand("unknown", name=text)
    base, offset, index, extend, bits, kept = match.groups()
    return Operand("memory", 0, None, _REGISTERS[base][0], _REGISTERS[index][0] if index else None, 1 << int(bits or 0),
                   int(offset or "0", 0), extend=kept or extend or "")


@functools.cache
def _operand(text):
    """(operand, arrangement of a vector or "")"""
    if text in _REGISTERS:
        return Operand("register", _REGISTERS[text][1], _REGISTERS[text][0]), ""
    match = re.fullmatch(r"\{?v(\d+)\.(\d*)([bhsd])\}?(?:\[(\d+)\])?", text)
    if match:
        name, count, kind, lane = f"v{match[1]}", match[2], match[3], match[4]
        if count and lane is None:
            return Operand("vector", int(count) * _WIDTHS[kind], name), count + kind
        if not count and lane is not None:
            return Operand("lane", _WIDTHS[kind], name, offset=int(lane)), kind
    match = re.fullmatch(r"([bhsdq])(\d+)", text)
    if match:
        return Operand("vector", _WIDTHS[match[1]], f"v{match[2]}"), ""
    if re.fullmatch(r"#-?(0x[0-9a-f]+|\d+)", text):
        return Operand("number", 0, int(text[1:], 0)), ""
    if re.fullmatch(r"[0-9a-f]+", text):
        return Operand("code", 8, int(text, 16)), ""
    return (_memory(text) if text.startswith("[") else Operand("unknown", name=text)), ""


def parse_line(line):
    """(address, verb, operands, text) of a line of objdump; None for any other line."""
    address, colon, text = line.partition(":\t")
    if not colon:
        return None
    text = text.partition("//")[0].partition("<")[0].strip().replace("\t", " ")
    verb, _, rest = text.partition(" ")
    operands, arrangements = [], []
    for part in re.findall(r"(?:\[[^]]*\]!?|\{[^}]*\}(?:\[\d+\])?|[^,\[{]+(?:\[\d+\])?)", rest):
        part = part.strip()
        shift = re.fullmatch(r"(lsl|lsr|asr|ror|msl|[su]xt[bhwx])(?: #(\d+))?", part)
        if shift and operands and operands[-1].kind in ("register", "number"):
            operands[-1] = operands[-1]._replace(extend=shift[1], scale=int(shift[2] or 0))
        elif len(operands) == _OF_CONDITIONS.get(verb):
            operands.append(Operand("condition", 0, part))
        elif part:
            operand, arrangement = _operand(part)
            operands.append(operand)
            arrangements += [arrangement] if arrangement else []
    return int(address, 16), ".".join([verb, *arrangements[:1]]), tuple(operands), text
