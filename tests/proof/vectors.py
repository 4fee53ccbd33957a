"""x86 vector instructions on terms.

A vector is a term, the same function of the lane's number in every lane, or a tuple of elements (term, lane): "the term
for that lane", or (term, None) where it is the same for all. Arithmetic needs the former.
"""
import terms
from program import Unreadable

LANE = terms.atom("lane number << 24")
ZERO = terms.const(0)


def elements(value, count, order):
    if isinstance(value, int):
        if terms.value(value) is not None:
            return ((value, None),) * count
        return tuple((value, lane) for lane in order[:count])
    return (tuple(value) + ((ZERO, None),) * count)[:count]


def uniform(value, order, count):
    """A vector of `count` words as one term."""
    if isinstance(value, int):
        return value
    value = elements(value, count, order)
    lanes = [lane for _, lane in value]
    if len({term for term, _ in value}) == 1 and (lanes == [None] * len(lanes) or tuple(lanes) == order[:len(lanes)]):
        return value[0][0]
    raise Unreadable("arithmetic on a vector whose lanes differ")


def of_constants(words):
    """A vector of the program's constants."""
    if len(words) in (4, 8, 16) and all(word - words[0] == lane << 24 for lane, word in enumerate(words)):
        return terms.add(LANE, terms.const(words[0]))
    return tuple((terms.const(word), None) for word in words)


def _interleave(x, y, part, size):
    """punpck: the lower (part 0) or upper (1) halves of each four, in groups of `size` words."""
    result = []
    for start in range(0, len(x), 4):
        low = start + 2 * part
        for at in range(low, low + 2, size):
            result += x[at:at + size] + y[at:at + size]
    return tuple(result)


_BINARY = {"paddd": terms.add, "pxor": terms.xor, "xorps": terms.xor, "pand": terms.and_, "andps": terms.and_,
           "por": terms.or_, "orps": terms.or_, "pandn": lambda x, y: terms.and_(terms.not_(x), y),
           "psubd": terms.sub}
BINARY = {spelling: function for verb, function in _BINARY.items()
          for spelling in ((verb, verb + "d", verb + "q") if verb in ("pxor", "pand", "por", "pandn") else (verb,))}
SHIFTS = {"psrld": terms.shr, "pslld": terms.shl, "prord": terms.rotr, "prold": lambda x, n: terms.rotr(x, 32 - n)}
MOVES = {"movdqa", "movdqu", "movaps", "movups", "movdqa32", "movdqa64", "movdqu32", "movdqu64", "movd"}
BROADCASTS = {"pbroadcastd": 1, "broadcastss": 1, "pbroadcastq": 2}
UNPACKS = {"punpckldq": (0, 1), "punpckhdq": (1, 1), "punpcklqdq": (0, 2), "punpckhqdq": (1, 2)}
UNARY = {*SHIFTS, *MOVES, *BROADCASTS, "pshufd"}
TESTS = {"pcmpeqd", "ptestnmd"}


def compute(verb, count, sources, number, order):
    """What an instruction leaves in its destination of `count` words. `sources`: values; `number`: its immediate operand."""
    if verb in BINARY:
        return BINARY[verb](*(uniform(source, order, count) for source in sources))
    if verb in SHIFTS:
        return SHIFTS[verb](uniform(sources[-1], order, count), number)
    if verb == "pternlogd":
        return terms.combine(number, *(uniform(source, order, count) for source in sources))
    if verb in MOVES:
        return elements(sources[-1], count, order) if isinstance(sources[-1], tuple) else sources[-1]
    if verb in BROADCASTS:
        return elements(sources[-1], BROADCASTS[verb], order) * (count // BROADCASTS[verb])
    if verb == "pshufd":
        value = elements(sources[-1], count, order)
        return tuple(value[at & ~3 | number >> 2 * (at & 3) & 3] for at in range(count))
    if verb in UNPACKS:
        return _interleave(*(elements(source, count, order) for source in sources), *UNPACKS[verb])
    raise Unreadable(f"instruction {verb}")
