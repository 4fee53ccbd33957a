"""Corruptions of AArch64 instructions, and which of these matter; as corruptions.py."""
import arm64_vectors
from corruptions import numbers

_EXCHANGED = {"add.4s": "sub.4s", "eor.16b": "orr.16b", "and.16b": "eor.16b", "orr.16b": "and.16b", "bsl.16b": "bit.16b",
              "bit.16b": "bif.16b", "bif.16b": "bsl.16b", "ushr.4s": "shl.4s", "sli.4s": "sri.4s", "sha256h.4s": "sha256h2.4s",
              "sha256h2.4s": "sha256h.4s", "zip1.4s": "zip2.4s", "zip2.4s": "zip1.4s", "zip1.2d": "zip2.2d", "zip2.2d": "zip1.2d",
              "add": "sub", "sub": "add", "eor": "orr", "and": "eor", "orr": "and", "ror": "lsr", "lsr": "ror", "rev": "rbit"}
_JUMPS = {"b.eq": ("b.ne",), "b.ne": ("b.eq",), "b.hi": ("b.cs", "b.ls"), "b.cs": ("b.hi", "b.cc"), "b.cc": ("b.ls", "b.cs"),
          "b.ls": ("b.cc", "b.hi"), "cbz": ("cbnz",), "cbnz": ("cbz",)}
_SHIFTS = ("ushr.4s", "shl.4s", "sli.4s", "ror", "lsr", "lsl")
_REGISTERS = [f"x{n}" for n in range(12)]
_TESTING = ("cmeq.4s", "addv.4s", "fmov", "cbz", "cbnz", "bl")
_DECIDING = ("cmp", "rev", "b.cs", "b.cc", "b.ls", "b.hi", "str", "stp")


def _operands(verb, operand, other_notes):
    if operand.kind == "number":
        changed = [operand.name - 1] if verb == "ubfiz" else numbers(operand.name, verb in _SHIFTS)  # a longer field has no more
        yield from (operand._replace(name=number) for number in changed if number != operand.name)
    elif operand.kind == "register":
        yield from (operand._replace(name=name) for name in _REGISTERS if name != operand.name)
        if operand.extend in ("lsl", "lsr", "ror"):
            yield operand._replace(scale=operand.scale % 31 + 1)
    elif operand.kind in ("vector", "lane"):
        yield from (operand._replace(name=f"v{(int(operand.name[1:]) + step) % 32}") for step in (1, 5))
        if operand.kind == "lane":
            yield operand._replace(offset=operand.offset ^ 1)
    elif operand.kind == "memory":
        yield from (operand._replace(offset=operand.offset + step) for step in (1, 4, -4, 64))
        if operand.scale > 1:
            yield operand._replace(scale=operand.scale // 2)
    elif operand.name in other_notes:
        yield from (operand._replace(name=address) for address in other_notes - {operand.name})


def _of_another_size(instruction):
    """One bit of an instruction decides how wide its general registers are."""
    verb, operands = instruction.verb, instruction.operands
    sizes = {operand.size for operand in operands if operand.kind == "register"}
    of_memory = any(operand.kind == "memory" for operand in operands)
    if len(sizes) != 1 or any(operand.kind in ("vector", "lane") for operand in operands) or verb in ("ubfiz", "mov"):
        return
    other = 12 - sizes.pop()
    if other == 8 and not of_memory and verb not in ("rev", "rbit", "clz"):
        return  # upper halves are zero, or (of sums) not looked at
    yield instruction._replace(operands=tuple(
        each._replace(size=other) if each.kind == "register" else each for each in operands))


def of_instruction(instruction, other_notes=frozenset()):
    """All of one instruction; `other_notes`: functions to which a call of one of them may be exchanged."""
    verb, operands = instruction.verb, instruction.operands
    for other in _JUMPS.get(verb, ()):
        yield instruction._replace(verb=other)
    if verb in _EXCHANGED:
        yield instruction._replace(verb=_EXCHANGED[verb])
    yield from _of_another_size(instruction)
    for i, operand in enumerate(operands):
        if operands[0].name == "sp":  # a larger frame would do as well
            continue
        for changed in _operands(verb, operand, other_notes):
            yield instruction._replace(operands=operands[:i] + (changed,) + operands[i + 1:])


def is_of_hash(instruction):
    """Whether an instruction may be one of the hash's: it computes from registers, or shifts by a constant."""
    verb, operands = instruction.verb, instruction.operands
    return verb in arm64_vectors.LANEWISE or verb.startswith(("sha256", "zip")) or (
        verb in ("ror", "add", "eor", "and") and all(operand[:2] == ("register", 4) for operand in operands[:2]))


def is_test(instruction):
    """Whether it decides which lanes are candidates."""
    return instruction.verb in _TESTING


def is_jump(instruction):
    return instruction.verb.startswith("b.")


def decides(instruction):
    """Whether it decides about a candidate, or stores it."""
    return instruction.verb in _DECIDING
