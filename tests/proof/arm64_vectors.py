"""AArch64 vector instructions on terms; vectors.py says what a vector is."""
import terms
import vectors
import wide
from program import Unreadable
from sha_instructions import SHA


def _of_bytes(functions):
    """Functions of bits are the same for all arrangements."""
    return {f"{verb}.{arrangement}": function for verb, function in functions.items() for arrangement in ("16b", "8b")}


_SOURCES = {"add.4s": terms.add, "sub.4s": terms.sub} | _of_bytes({
    "and": terms.and_, "orr": terms.or_, "eor": terms.xor, "bic": lambda x, y: terms.and_(x, terms.not_(y)),
    "orn": lambda x, y: terms.or_(x, terms.not_(y)), "mvn": terms.not_, "not": terms.not_, "rev32": terms.bswap})
_TARGET_TOO = _of_bytes({"bsl": terms.ch, "bit": lambda d, n, m: terms.ch(m, n, d), "bif": lambda d, n, m: terms.ch(m, d, n)})
_SHIFTS = {"ushr.4s": terms.shr, "shl.4s": terms.shl}
_SHIFTS_TOO = {  # of the target as well
    "sli.4s": lambda d, x, n: terms.or_(terms.shl(x, n), terms.and_(d, terms.const((1 << n) - 1))),
    "sri.4s": lambda d, x, n: terms.or_(terms.shr(x, n), terms.and_(d, terms.const(terms.MASK ^ terms.MASK >> n))),
    "usra.4s": lambda d, x, n: terms.add(d, terms.shr(x, n))}
LANEWISE = {*_SOURCES, *_TARGET_TOO, *_SHIFTS, *_SHIFTS_TOO}
_ZIPS = {"zip1.4s": (0, 1), "zip2.4s": (1, 1), "zip1.2d": (0, 2), "zip2.2d": (1, 2)}


def read(state, operand):
    """A vector register's value."""
    if operand.name not in state.registers:
        state.registers[operand.name] = wide.low(wide.fresh("unknown"))
    return state.registers[operand.name]


def broadcast(value, order):
    """The lowest word in all lanes."""
    return vectors.simplified(vectors.elements(value, 1, order) * 4, order) if isinstance(value, (int, tuple)) else object()


def insert(machine, state, operand, value):
    """Puts a word (as a vector of one) into a lane."""
    old = read(state, operand)
    if operand.size != 4:
        raise Unreadable("a lane of something else than words")
    if not isinstance(old, (int, tuple)) or not isinstance(value, tuple):
        state.registers[operand.name] = object()
        return
    words = list(vectors.elements(old, 4, machine.order))
    words[operand.offset] = value[0]
    state.registers[operand.name] = vectors.simplified(tuple(words), machine.order)


def execute(machine, verb, operands, state, deep):
    target, *sources = operands
    if verb in ("mov.16b", "mov.8b") and target.size == 16:
        state.registers[target.name] = read(state, sources[0])
    elif not deep:
        _execute_shallow(machine, operands, state)
    elif target.kind == "lane":
        insert(machine, state, target, (_word(machine, state, sources[0]),))
    elif target.kind == "register":
        machine.write(state, target, _number(machine, state, target, sources[0]))
    else:
        value = _result(machine, verb, target, sources, state)
        if target.size < 16 and verb in LANEWISE:
            value = vectors.elements(value, target.size // 4, machine.order)
        state.registers[target.name] = value


def _execute_shallow(machine, operands, state):
    target = operands[0]
    if target.kind == "register":
        machine.write(state, target, wide.fresh("unknown"))
    else:
        state.registers[target.name] = object()


def _word(machine, state, operand):
    """One word of a lane or of a general register, with the lane that it belongs to."""
    if operand.size != 4:
        raise Unreadable("a lane of something else than words")
    if operand.kind == "register":
        return machine.read(state, operand), None
    return vectors.elements(read(state, operand), 4, machine.order)[operand.offset]


def _number(machine, state, target, source):
    """What a general register gets of a vector."""
    words = [_word(machine, state, source)] if source.size == 4 else vectors.elements(read(state, source), 2, machine.order)
    if source.size != target.size or any(lane is not None for _, lane in words):
        raise Unreadable("a part of a vector in a register")
    (low, _), *upper = words
    return wide.add(low, wide.scale(upper[0][0], 1 << 32)) if upper else low


def _immediate(verb, operand):
    number = operand.name << operand.scale
    if operand.extend not in ("", "lsl"):
        raise Unreadable("a number that is shifted in another way")
    if verb in ("movi.16b", "movi.8b"):
        number *= 0x01010101
    if verb in ("movi.4s", "movi.16b", "mvni.4s"):
        return terms.const(number if verb[:4] == "movi" else ~number)
    if verb in ("movi.2d", "movi"):
        halves = ((terms.const(number), None), (terms.const(number >> 32), None))
        return halves * 2 if verb == "movi.2d" else halves
    raise Unreadable("a number in a vector of other words")


def _result(machine, verb, target, sources, state):
    number = sources[-1].name if sources[-1].kind == "number" else None
    order = machine.order
    if verb.startswith(("movi", "mvni")):
        return _immediate(verb, sources[0])
    if verb == "dup.4s" or verb == "fmov" and sources[0].kind == "register":
        return _of_general(machine, verb, target, sources[0], state)
    values = [read(state, source) for source in (target, *sources) if source.kind == "vector"]
    if verb in _SOURCES and number is None:
        return vectors.lanewise(_SOURCES[verb], 4, values[1:], order)
    if verb in _TARGET_TOO:
        return vectors.lanewise(_TARGET_TOO[verb], 4, values, order)
    if verb in _SHIFTS:
        return vectors.lanewise(lambda x: _SHIFTS[verb](x, number), 4, values[1:], order)
    if verb in _SHIFTS_TOO:
        return vectors.lanewise(lambda d, x: _SHIFTS_TOO[verb](d, x, number), 4, values, order)
    if verb == "cmeq.4s" and number == 0:
        return vectors.lanewise(lambda x: terms.atom("of", "is zero", x), 4, values[1:], order)
    if verb == "addv.4s":
        return ((_zero_lanes(vectors.elements(values[1], 4, order), order), None),)
    words = [vectors.elements(value, 4, order) for value in values]
    if verb.split(".")[0] in SHA:
        lane = vectors.lane_of(sum(words, ()))
        return tuple((term, lane) for term in SHA[verb.split(".")[0]](*([term for term, _ in each] for each in words)))
    if verb in _ZIPS:
        return vectors.simplified(vectors.interleave(*words[1:], *_ZIPS[verb]), order)
    if verb == "ext.16b" and number % 4 == 0:
        return vectors.simplified((words[1] + words[2])[number // 4:number // 4 + 4], order)
    raise Unreadable(f"instruction {verb}")


def _of_general(machine, verb, target, source, state):
    if source.kind == "register" and source.size == 8:
        if verb != "fmov" or target.size != 8:
            raise Unreadable("a vector of 64-bit numbers")
        return tuple((half, None) for half in wide.halves(machine.read(state, source)))
    word = (_word(machine, state, source),)
    return broadcast(word, machine.order) if verb == "dup.4s" else word


def _zero_lanes(words, order):
    """The sum of 1, 2, 4 and 8 where lanes are zero: the bits of these lanes."""
    what = terms.node(words[0][0])
    if what[0] == "bits" and len(what[1]) == 1:
        ((product, _),) = what[1]
        tested = next(iter(product))[0]
        if terms.node(tested)[:3] == ("atom", "of", "is zero") and words == tuple(
                (terms.and_(tested, terms.const(1 << i)), order[i]) for i in range(4)):
            return vectors.zero_lanes(terms.node(tested)[3], 4)
    raise Unreadable("a sum over lanes that does not tell which are zero")
