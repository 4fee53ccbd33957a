"""x86 instructions on general registers, on terms."""
import terms
import wide
from conditions import condition, holds
from program import Unreadable

_ALIGNMENTS = [-bytes_ & wide.MASK for bytes_ in (16, 32, 64, 128)]
_ADDITIVE = {"add": wide.add, "sub": wide.sub}
_ADDITIVE32 = {"add": terms.add, "sub": terms.sub}
_LOGIC = {"and": terms.and_, "or": terms.or_, "xor": terms.xor}
_NUMBERS = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
_SHIFTS = {"shr": terms.shr, "ror": terms.rotr, "rol": lambda x, n: terms.rotr(x, 32 - n),
           "shl": lambda x, n: terms.scale(x, 1 << n)}
ONE = terms.const(1)
ZERO = terms.const(0)


def unknown(size, *what):
    """A function that is not looked into; the same of the same."""
    value = wide.atom(what[0], tuple(wide.wide(each) if isinstance(each, (int, wide.Wide)) else each for each in what[1:]))
    return value if size == 8 else wide.low(value)


def execute(machine, instruction, verb, operands, state, deep):
    read = machine.read
    target = operands[0] if operands else None
    if verb == "mov":
        machine.write(state, target, read(state, operands[1], target.size))
    elif verb == "lea":
        machine.write(state, target, wide.canonical(machine.address(state, operands[1])))
    elif verb == "push":
        machine._push(state, read(state, target, 8))
    elif verb == "pop":
        machine.write(state, target, machine._pop(state))
    elif verb == "leave":
        state.registers["rsp"] = state.registers["rbp"]
        state.registers["rbp"] = machine._pop(state)
    elif verb == "cmp":
        state.flags = ("compare", read(state, target), read(state, operands[1], target.size))
    elif verb.startswith("cmov"):
        _conditional_move(machine, verb[4:], operands, state)
    elif verb.startswith("set"):
        known = holds(state, *condition(verb[3:], state.flags))
        machine.write(state, target, wide.low(wide.fresh("chosen")) if known is None else terms.const(known))
    elif verb == "movzx":
        machine.write(state, target, read(state, operands[1]))
    else:
        value = _result(machine, instruction, verb, operands, state, deep)
        if verb != "test":
            machine.write(state, target, value)


def _conditional_move(machine, code, operands, state):
    known = holds(state, *condition(code, state.flags))
    if known is None:
        machine.write(state, operands[0], wide.fresh("chosen"))
    elif known:
        machine.write(state, operands[0], machine.read(state, operands[1]))
    else:
        machine.write(state, operands[0], machine.read(state, operands[0]))


def _result(machine, instruction, verb, operands, state, deep):
    """Computes, and sets the flags."""
    target, size = operands[0], operands[0].size
    if verb in ("xor", "sub") and len(operands) == 2 and operands[0] == operands[1]:
        state.flags = ("zero", ZERO, ZERO)
        return ZERO
    if size != 4 and verb in ("bsf", "tzcnt", "bswap", "shld") or size < 4 and verb != "test":
        raise Unreadable("an instruction of another size than the reader knows")
    if verb in ("bsf", "tzcnt"):
        state.flags = None
        return terms.atom("of", "lowest bit", machine.read(state, operands[1]))
    if verb == "imul" and len(operands) == 3:
        state.flags = None
        return wide.scale(machine.read(state, operands[1]), operands[2].name)
    x = machine.read(state, target)
    y = machine.read(state, operands[1], size) if len(operands) > 1 else None
    compares = verb == "sub"
    if verb in ("inc", "dec"):
        verb, y = ("add" if verb == "inc" else "sub"), ONE
    if verb in _ADDITIVE:
        value = (_ADDITIVE32 if size == 4 else _ADDITIVE)[verb](x, y)
        state.flags = ("compare", x, y) if compares else ("zero", value, ZERO)
        return value
    if verb == "neg":
        value = wide.scale(x, -1) if size == 8 else terms.sub(ZERO, x)
    elif verb == "imul":
        value = wide.multiply(x, y)
    elif verb == "bswap":
        return terms.bswap(x) if deep else wide.low(wide.fresh("unknown"))  # the flags stay as they are
    elif verb in ("and", "test", "or", "xor"):
        value = _logic(instruction, state, "and" if verb == "test" else verb, x, y, size, deep, target)
    elif verb in _SHIFTS:
        value = _shift(verb, x, y, size, deep)
    elif verb == "shld":
        number = operands[2].name
        value = terms.or_(terms.shl(x, number), terms.shr(y, 32 - number)) if deep else wide.low(wide.fresh("unknown"))
    else:
        raise Unreadable("an instruction that the reader does not know")
    if verb in ("ror", "rol"):  # they change no flag of those by which code asks for zero
        state.flags = state.flags and ("zero", *state.flags[1:])
    else:
        state.flags = None if verb == "imul" else ("zero", value, ZERO)
    return value


def _logic(instruction, state, verb, x, y, size, deep, target):
    if x == y and verb != "xor":
        return x
    if size <= 4:
        both_known = wide.number(x) is not None and wide.number(y) is not None
        return _LOGIC[verb](x, y) if deep or both_known else wide.low(wide.fresh("unknown"))
    if verb == "and" and target.name == "rsp" and wide.number(y) in _ALIGNMENTS:
        frame = wide.atom("pointer", f"frame of {instruction.address:x} in {wide.wide(x)}")
        state.memory.align(frame, x)
        return frame
    x, y = (y, x) if verb == "or" and wide.is_upper_half(x) else (x, y)
    numbers = wide.number(x), wide.number(y)
    if None not in numbers:
        return wide.canonical(wide.const(_NUMBERS[verb](*numbers)))
    if verb == "or" and wide.is_upper_half(y) and not isinstance(x, wide.Wide):
        return wide.add(x, y)
    return unknown(size, verb, x, y)


def _shift(verb, x, y, size, deep):
    number = wide.number(y)
    if not 0 < number < 8 * size:
        raise Unreadable("a shift by another number of bits than a register has")
    if verb == "shl":
        return wide.scale(x, 1 << number) if size == 8 else _SHIFTS[verb](x, number)
    if size == 4:
        return _SHIFTS[verb](x, number) if deep else wide.low(wide.fresh("unknown"))
    if verb == "shr" and wide.number(x) is not None:
        return wide.canonical(wide.const(wide.number(x) >> number))
    return unknown(size, f"{verb} {number}", x)
