"""64-bit values: polynomials modulo 2^64 over unknown values, pointers, loops' passes and zero-extended 32-bit terms.

A register holds a 32-bit term (a number, as in terms.py; the upper half is zero) or a Wide. A number of passes is never
negative, and what counts up from a constant does not wrap: the 32-bit and the 64-bit form of such a count are one value.
"""
from typing import NamedTuple

import terms

MASK = 0xffffffffffffffff
_HALF = 1 << 31


class Wide(NamedTuple):
    constant: int
    parts: tuple  # ((monomial, factor), …), sorted; a monomial is a sorted tuple of atoms, an atom a pair (kind, name)


def _make(constant, factors):
    return Wide(constant & MASK, tuple(sorted((m, f & MASK) for m, f in factors.items() if f & MASK)))


def const(number):
    return _make(number, {})


def atom(kind, name):
    return _make(0, {((kind, name),): 1})


_made = [0]


def fresh(kind):
    """An atom that nothing else is equal to."""
    _made[0] += 1
    return atom(kind, _made[0])


def low_of_index(name):
    return terms.atom("low", "index", name)


def _counts(term):
    """A term that only counts passes, as (constant, {index: factor}); None if it does anything else."""
    constant, factors = terms.summands(term)
    indices = {}
    for part, factor in factors.items():
        what = terms.node(part)
        if what[:3] != ("atom", "low", "index") or factor >= _HALF:
            return None
        indices[what[3]] = factor
    return (constant, indices) if constant < _HALF or not indices else None


def wide(value):
    """Any register's value as a Wide."""
    if isinstance(value, Wide):
        return value
    counted = _counts(value)
    if counted:
        return _make(counted[0], {(("index", name),): factor for name, factor in counted[1].items()})
    return atom("zext", value)


def canonical(value):
    """A Wide as a 32-bit term, if it is one."""
    if not isinstance(value, Wide):
        return value
    if not value.parts and value.constant <= terms.MASK:
        return terms.const(value.constant)
    if value.constant == 0 and len(value.parts) == 1:
        (monomial, factor), = value.parts
        if factor == 1 and len(monomial) == 1 and monomial[0][0] == "zext":
            return monomial[0][1]
    if value.parts and value.constant < _HALF and all(
            len(monomial) == 1 and monomial[0][0] == "index" and factor < _HALF for monomial, factor in value.parts):
        return low(value)
    return value


def low(value):
    """The lower 32 bits, as a term."""
    if not isinstance(value, Wide):
        return value
    total = [terms.const(value.constant)]
    for monomial, factor in value.parts:
        if len(monomial) == 1:
            kind, name = monomial[0]
            term = name if kind == "zext" else terms.atom("low", kind, name)
        else:
            term = terms.atom("low", "product", monomial)
        total.append(terms.scale(term, factor))
    return terms.add(*total)


def add(x, y):
    x, y = wide(x), wide(y)
    factors = dict(x.parts)
    for monomial, factor in y.parts:
        factors[monomial] = factors.get(monomial, 0) + factor
    return canonical(_make(x.constant + y.constant, factors))


def multiply(x, y):
    x, y = wide(x), wide(y)
    factors = {}
    for left, left_factor in ((), x.constant), *x.parts:
        for right, right_factor in ((), y.constant), *y.parts:
            monomial = tuple(sorted(left + right))
            factors[monomial] = factors.get(monomial, 0) + left_factor * right_factor
    return canonical(_make(factors.pop((), 0), factors))


def scale(x, factor):
    x = wide(x)
    return canonical(_make(x.constant * factor, {monomial: each * factor for monomial, each in x.parts}))


def sub(x, y):
    return add(x, scale(y, MASK))


def is_upper_half(value):
    """Whether the lower half is zero."""
    return isinstance(value, Wide) and not value.constant & terms.MASK and not any(f & terms.MASK for _, f in value.parts)


def halves(value):
    """The two 32-bit terms that make up a 64-bit value, the lower one first; raises ValueError where they cannot be told apart."""
    if not isinstance(value, Wide):
        return value, terms.const(0)
    lower = canonical(_make(value.constant & terms.MASK, {m: f for m, f in value.parts if f & terms.MASK}))
    if isinstance(lower, Wide):
        raise ValueError("a carry between halves")
    return lower, low(_make(value.constant >> 32, {m: f >> 32 for m, f in value.parts if not f & terms.MASK}))


def number(value):
    """The number that a value is, or None."""
    if isinstance(value, Wide):
        return None if value.parts else value.constant
    return terms.value(value)


def least(value):
    """The least number that a value may be, as far as that is known."""
    value = wide(value)
    counts = value.constant >> 63 == 0 and all(
        len(monomial) == 1 and monomial[0][0] == "index" and factor >> 63 == 0 for monomial, factor in value.parts)
    return value.constant if counts else 0


def lowest_byte(value):
    """The number that is a value's lowest byte, or None."""
    return terms.value(terms.and_(low(value), terms.const(0xff))) if isinstance(value, (int, Wide)) else None


def unknown_but_for(byte):
    """A value of which the lowest byte is known."""
    other = terms.and_(low(fresh("unknown")), terms.const(~0xff))
    return under_unknown(terms.xor(other, terms.const(byte)))


def under_unknown(word):
    """A value of which the lower half is known."""
    return add(atom("zext", word), scale(fresh("unknown"), 1 << 32))


def difference(new, old):
    """What has been added between two passes: a value to be multiplied by their number."""
    if isinstance(new, Wide) or isinstance(old, Wide):
        return sub(new, old)
    return terms.sub(new, old)


def after_passes(old, step, index):
    """old + step · (the number of passes)."""
    if isinstance(old, Wide) or isinstance(step, Wide):
        return add(old, multiply(step, atom("index", index)))
    return terms.add(old, terms.scale(low_of_index(index), terms.value(step)))
