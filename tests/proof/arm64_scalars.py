"""AArch64 instructions on general registers, on terms."""
import terms
import wide
from conditions import condition, holds
from program import Unreadable
from scalars import ONE, ZERO, unknown

_LOGIC = {"and": terms.and_, "orr": terms.or_, "eor": terms.xor, "bic": lambda x, y: terms.and_(x, terms.not_(y)),
          "orn": lambda x, y: terms.or_(x, terms.not_(y)), "eon": lambda x, y: terms.not_(terms.xor(x, y))}
_SHIFTS = {"lsl": lambda x, n: terms.scale(x, 1 << n), "lsr": terms.shr, "ror": terms.rotr}
_ALIGNMENTS = [32, 64, 128]
_WITH_FLAGS = {"adds": "add", "subs": "sub", "ands": "and"}
_WITHOUT_RESULT = {"cmp": "subs", "cmn": "adds", "tst": "ands"}
_OTHER_IF_NOT = {"csinc": lambda x: wide.add(x, ONE), "csel": lambda x: x}


def shifted(verb, x, number, size):
    """A register's value, shifted by a constant."""
    if not 0 <= number < 8 * size:
        raise Unreadable("a shift by another number of bits than a register has")
    if number == 0:
        return x
    if size == 4:
        return _SHIFTS[verb](x, number)
    if verb == "lsl":
        return wide.scale(x, 1 << number)
    if verb == "lsr" and wide.number(x) is not None:
        return wide.canonical(wide.const(wide.number(x) >> number))
    return unknown(size, f"{verb} {number}", x)


def execute(machine, instruction, state, deep):
    verb, operands = instruction.verb, instruction.operands
    if verb in _WITHOUT_RESULT:
        verb, operands = _WITHOUT_RESULT[verb], (operands[0]._replace(name="zr"), *operands)
    target, *sources = operands
    if verb == "adrp":
        value = terms.const(sources[0].name)
    elif verb == "movk":
        value = _with_part(machine.read(state, target), sources[0])
    elif verb in ("csel", "csinc", "cset", "cinc"):
        value = _chosen(machine, verb, sources, state)
    else:
        values = [machine.read(state, source, target.size) for source in sources]
        value = _result(instruction, verb, values, target.size, state, deep)
    machine.write(state, target, value)


def _with_part(value, part):
    """16 bits are exchanged, the others kept."""
    old = wide.number(value)
    if old is None:
        raise Unreadable("a part of a register that is no number")
    return wide.canonical(wide.const(old & ~(0xffff << part.scale) | part.name << part.scale))


def _chosen(machine, verb, sources, state):
    *values, code = sources
    truth = holds(state, *condition(machine.CODES[code.name], state.flags))
    if truth is None:
        return wide.fresh("chosen")
    if verb == "cset":
        return ONE if truth else ZERO
    if verb == "cinc":
        value = machine.read(state, values[0])
        return wide.add(value, ONE) if truth else value
    value = machine.read(state, values[0 if truth else 1])
    return value if truth else _OTHER_IF_NOT[verb](value)


def _result(instruction, verb, values, size, state, deep):
    """Computes, and sets the flags where the verb says so."""
    if verb in _WITH_FLAGS:
        verb = _WITH_FLAGS[verb]
        value = _result(instruction, verb, values, size, state, deep)
        state.flags = ("compare", *values) if verb == "sub" else ("zero", value, ZERO)
        return value
    if verb == "mov":
        return values[0]
    if verb in ("add", "sub"):
        return (getattr(wide, verb) if size == 8 else getattr(terms, verb))(*values)
    if verb == "neg":
        return wide.sub(ZERO, values[0]) if size == 8 else terms.sub(ZERO, values[0])
    if verb in ("mul", "madd", "umull", "umaddl"):
        return wide.add(wide.multiply(*values[:2]), values[2] if len(values) > 2 else ZERO)
    if verb in ("ubfiz", "ubfx"):
        return _field(verb, *values, size)
    if verb in _SHIFTS:
        number = wide.number(values[1])
        if number is None:
            raise Unreadable("a shift by something else than a constant")
        return shifted(verb, values[0], number, size) if deep or size == 8 or verb == "lsl" else wide.low(wide.fresh("unknown"))
    if verb in _LOGIC or verb == "mvn":
        return _logic(instruction, verb, values, size, state, deep)
    if size == 8:
        raise Unreadable("an instruction of 64 bits that the reader does not know")
    return _of_word(verb, *values, deep)


def _of_word(verb, x, deep):
    if verb == "rev":
        return terms.bswap(x) if deep else wide.low(wide.fresh("unknown"))
    if verb == "rbit":
        return terms.atom("of", "reversed bits", x)
    if verb == "clz":
        if terms.node(x)[:3] != ("atom", "of", "reversed bits"):
            raise Unreadable("the leading zeros of something else than reversed bits")
        return terms.atom("of", "lowest bit", terms.node(x)[3])
    raise Unreadable("an instruction that the reader does not know")


def _field(verb, x, start, bits, size):
    """A part of a word, which ubfiz moves to a place and ubfx takes from it."""
    start, bits, x = wide.number(start), wide.number(bits), wide.low(x)
    if bits > 32 or verb == "ubfx" and start + bits > 32:
        raise Unreadable("a part of 64 bits")
    x = terms.shr(x, start) if verb == "ubfx" and start else x
    if bits < 32 and not (bits >= 6 and terms.node(x)[:3] == ("atom", "of", "lowest bit")):  # that is at most 32
        x = terms.and_(x, terms.const((1 << bits) - 1))
    if verb == "ubfx":
        return x
    return wide.scale(x, 1 << start) if size == 8 else terms.scale(x, 1 << start)


def _logic(instruction, verb, values, size, state, deep):
    if verb == "mvn":
        verb, values = "orn", [ZERO, *values]
    x, y = values
    numbers = wide.number(x), wide.number(y)
    if size == 8 and verb == "and" and numbers[1] in [-each & wide.MASK for each in _ALIGNMENTS]:
        frame = wide.atom("pointer", f"aligned of {instruction.address:x} in {wide.wide(x)}")
        state.memory.align_within(frame, x, -numbers[1] & wide.MASK)
        return frame
    words = size == 4 or not any(isinstance(each, wide.Wide) for each in values)
    if verb == "and" and numbers[1] is not None and numbers[1] <= terms.MASK:
        x, y, words = wide.low(x), wide.low(y), True
    if not words or size == 8 and verb in ("orn", "eon"):
        return unknown(size, verb, x, y)
    return _LOGIC[verb](x, y) if deep or None not in numbers else wide.low(wide.fresh("unknown"))
