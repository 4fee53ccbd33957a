"""x86 vector instructions: what they read, do and write; vectors.py has what they compute."""
import contextlib

import terms
import vectors
import wide
from memory import NeverWritten
from program import Refuted, Unreadable


def execute(machine, verb, operands, state, deep, of_avx):
    target = operands[0]
    if verb == "kmovw":
        machine.write(state, target, _lowest(state.registers[operands[1].name]))
    elif verb == "kmovq":  # a register's value is kept in a mask
        _move_mask(machine, state, *operands)
    elif verb == "kxnorw" and operands[1] == operands[2]:
        state.registers[target.name] = terms.const(0xffff)
    elif verb == "pgatherdd":
        value = _gathered(machine, operands, state) if deep else object()
        state.registers[target.name], state.registers[operands[1].name] = value, vectors.ZERO
    elif verb == "kortestw":
        state.flags = ("zero", terms.or_(*(_lowest(state.registers[operand.name]) for operand in operands)), vectors.ZERO)
    elif not deep:
        _execute_shallow(machine, verb, operands, state)
    elif verb == "movmskps":
        _check_whole(machine, operands[1])
        kind, term = terms.node(machine.uniform(state.registers[operands[1].name], operands[1].size // 4))[2:]
        machine.write(state, target, vectors.zero_lanes(term, operands[1].size // 4) if kind == "is zero" else None)
    elif verb in vectors.TESTS:
        _test(machine, verb, operands, state)
    else:
        value = _result(machine, verb, operands, state)
        if machine.lanes > 4 and not of_avx and target.kind == "vector":  # the rest of the register stays as it is
            upper = vectors.elements(_read(machine, state, target), 16, machine.order)[4:]
            upper = upper if any(term != vectors.ZERO for term, _ in upper) else ()  # as after a load
            value = vectors.elements(value, 4, machine.order) + upper
        elif target.size < 4 * min(machine.lanes, 16):  # the rest of the register becomes zero
            value = vectors.elements(value, target.size // 4, machine.order)
        _write(machine, state, target, value)


def _move_mask(machine, state, target, source):
    value = state.registers[source.name] if source.kind == "mask" else machine.read(state, source, 8)
    if target.kind == "mask":
        state.registers[target.name] = value
    else:
        machine.write(state, target, value)


def _lowest(mask):
    """The bits of a mask of sixteen lanes."""
    return terms.and_(wide.low(mask), terms.const(0xffff))


def _write(machine, state, target, value):
    if target.kind == "vector":
        state.registers[target.name] = value
    elif target.kind == "register":
        term, lane = vectors.elements(value, 1, machine.order)[0]
        if target.size != 4 or lane is not None:
            raise Unreadable("a part of a vector in a register")
        machine.write(state, target, term)
    else:
        machine.store_vector(state, target, value)


def _result(machine, verb, operands, state):
    number = operands[-1].name if operands[-1].kind == "number" else None
    sources = [operand for operand in operands if operand.kind != "number"]
    if verb in ("movsd", "movss") and sources[-1].kind == sources[0].kind:
        raise Unreadable("a move that keeps the upper part of a register")
    if verb in vectors.UNARY:
        sources = sources[-1:]
    elif len(sources) > 2 and verb not in vectors.OF_THREE:
        sources = sources[1:]
    if sources[0] == sources[-1] and verb in ("pxor", "pxord", "pxorq", "xorps"):
        return vectors.ZERO
    values = [_read(machine, state, operand) for operand in sources]
    return vectors.compute(verb, operands[0].size // 4, values, number, machine.order)


def _gathered(machine, operands, state):
    """A word for each lane, from places that are known by number, where the mask has all lanes; the others become zero."""
    target, mask, place = operands
    count = target.size // 4
    if ~terms.value(state.registers[mask.name]) & (1 << count) - 1:
        raise Unreadable("a load of some lanes only")
    base = machine.address(state, place._replace(index=None))
    indices = [terms.value(index) for index, _ in vectors.elements(state.registers[f"v{place.index[3:]}"], count, machine.order)]
    if max(indices) >> 31:
        raise Unreadable("a negative index")
    words = [machine.load_element(state, wide.wide(wide.add(base, wide.const(place.scale * index)))) for index in indices]
    return vectors.elements(tuple(words), 16, machine.order)


def _execute_shallow(machine, verb, operands, state):
    target, value = operands[0], object()
    if verb in vectors.MOVES or verb in vectors.BROADCASTS:
        with contextlib.suppress(NeverWritten, TypeError):
            value = _result(machine, verb, operands, state)
    if target.kind == "register":
        machine.write(state, target, wide.fresh("unknown"))
    elif target.kind == "mask":
        state.registers[target.name] = wide.low(wide.fresh("unknown"))
    else:
        _write(machine, state, target, value)


def _check_whole(machine, operand):
    if operand.size != 4 * min(machine.lanes, 16):
        raise Refuted("some lanes are not tested")


def _test(machine, verb, operands, state):
    _check_whole(machine, operands[-2])  # the last one may be a word that is broadcast
    x, y = (machine.uniform(_read(machine, state, operand), operands[-2].size // 4) for operand in operands[-2:])
    if verb == "ptestnmd":
        state.registers[operands[0].name] = vectors.zero_lanes(terms.and_(x, y), operands[1].size // 4)
    elif vectors.ZERO in (x, y):
        state.registers[operands[0].name] = terms.atom("of", "is zero", y if x == vectors.ZERO else x)
    else:
        raise Unreadable("a comparison of vectors with something else than zero")


def _read(machine, state, operand):
    if operand.kind == "vector":
        if operand.name not in state.registers:
            state.registers[operand.name] = machine.unknown_vector()
        return state.registers[operand.name]
    if operand.kind == "register":
        value = state.registers[operand.name]
        return tuple((half, None) for half in (wide.halves(value) if operand.size == 8 else [wide.low(value)]))
    if operand.name is not None:
        value = machine.constants(operand)
    elif operand.size == 4:
        value = (machine.load_element(state, machine.address(state, operand)),)
    elif operand.broadcast:
        raise Unreadable("a broadcast of something else than a word")
    else:
        value = machine.load_vector(state, machine.address(state, operand), operand.size)
    if operand.broadcast:
        return value[0][0] if value[0][1] is None else value * 16
    return value
