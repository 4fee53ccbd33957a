"""x86 vector instructions on terms.

A vector is a term, the same function of the lane's number in every lane, or a tuple of elements (term, lane): "the term
for that lane", or (term, None) where it is the same for all.
"""
import terms
from program import Unreadable
from sha_instructions import SHA

ZERO = terms.const(0)


def lane_number(width):
    """That of a lane, as the upper byte of a word: a multiple of `width`, with its bytes reversed, may be added or "or"ed."""
    return terms.atom_under((width - 1) << 24, "lane number << 24", width)


def zero_lanes(word, width):
    """A bit for each lane of a vector, set where that is zero."""
    return terms.atom_under((1 << width) - 1, "of", "zero lanes", width, word)


def elements(value, count, order):
    if isinstance(value, int):
        if terms.value(value) is not None:
            return ((value, None),) * count
        return tuple((value, lane) for lane in order[:count])
    return (tuple(value) + ((ZERO, None),) * count)[:count]


def of_words(words):
    """What memory has of words of lanes: a number, if it is one word that is no lane's."""
    return words[0][0] if len(words) == 1 and words[0][1] is None else tuple(words)


def simplified(value, order):
    """Elements as one term, if they are."""
    lanes = tuple(lane for _, lane in value)
    same = len({term for term, _ in value}) == 1 and (set(lanes) == {None} or lanes == order[:len(lanes)])
    return value[0][0] if same else value


def uniform(value, order, count):
    """A vector of `count` words as one term."""
    value = value if isinstance(value, int) else simplified(elements(value, count, order), order)
    if isinstance(value, int):
        return value
    raise Unreadable("a test of a vector whose lanes differ")


def lane_of(words):
    lanes = {lane for _, lane in words} - {None}
    if len(lanes) > 1:
        raise Unreadable("arithmetic on words of different lanes")
    return lanes.pop() if lanes else None


def lanewise(function, count, sources, order):
    """A function of words, in each lane."""
    if all(isinstance(source, int) for source in sources):
        return function(*sources)
    columns = zip(*(elements(source, count, order) for source in sources))
    return simplified(tuple((function(*(term for term, _ in words)), lane_of(words)) for words in columns), order)


def of_constants(words, order, lane):
    """A vector of the program's constants. `lane`: see lane_number()."""
    if len(words) in (4, 8, 16) and None not in order and all(
            word - words[0] == number << 24 for number, word in zip(order, words)):
        return terms.add(lane, terms.const(words[0]))
    return tuple((terms.const(word), None) for word in words)


def interleave(x, y, part, size):
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
# (movsd and movss: of memory)
MOVES = {"movdqa", "movdqu", "movaps", "movups", "movdqa32", "movdqa64", "movdqu32", "movdqu64", "movd", "movq", "movsd",
         "movss"}
BROADCASTS = {"pbroadcastd": 1, "broadcastss": 1, "pbroadcastq": 2, "movddup": 2, "broadcasti128": 4, "broadcasti32x4": 4}
UNPACKS = {"punpckldq": (0, 1), "punpckhdq": (1, 1), "punpcklqdq": (0, 2), "punpckhqdq": (1, 2)}
INSERTS = {"inserti128", "inserti32x4", "inserti64x2"}
EXTRACTS = {"extracti128", "extracti32x4", "extracti64x2"}
# Words of each element, and which operand is the first table, the selection, the second table.
PERMUTATIONS = {"permt2d": (1, 0, 1, 2), "permt2q": (2, 0, 1, 2), "permi2q": (2, 1, 0, 2)}
UNARY = {*SHIFTS, *MOVES, *BROADCASTS, *EXTRACTS, "pshufd", "pslldq", "psrldq"}
OF_THREE = {"pternlogd", "sha256rnds2", *PERMUTATIONS}  # they read what they overwrite, in three-operand form too
TESTS = {"pcmpeqd", "ptestnmd"}


def _shuffle_bytes(value, selections):
    """pshufb, where it moves whole words or reverses the bytes of each."""
    result = []
    for at, (selection, _) in enumerate(selections):
        number = terms.value(selection)
        if number is None:
            raise Unreadable("a selection that is no constant")
        chosen = list(number.to_bytes(4, "little"))
        first = min(chosen)
        term, lane = value[(at & ~3) + (first // 4) % 4]
        if chosen == list(range(first + 3, first - 1, -1)):
            term = terms.bswap(term)
        elif chosen != list(range(first, first + 4)):
            raise Unreadable("a selection that takes words apart")
        if first % 4 or first > 12:
            raise Unreadable("a selection that takes words apart")
        result.append((term, lane))
    return tuple(result)


def _permute(size, first, selection, second):
    """Elements of some words each, chosen from two vectors."""
    both, result = first + second, ()
    for selected, _ in selection[::size]:
        at = size * (terms.value(selected) % (len(both) // size))
        result += both[at:at + size]
    return result


def _moved(verb, count, sources, number, order):
    """What moves words and does not compute; None if `verb` is another instruction."""
    values = [elements(source, count, order) for source in sources]
    if verb == "pshufd":
        return tuple(values[-1][at & ~3 | number >> 2 * (at & 3) & 3] for at in range(count))
    if verb == "pshufb":
        return _shuffle_bytes(*values)
    if verb == "palignr" and number % 4 == 0 and number < 16:
        at = number // 4
        return sum(((values[1][start:start + 4] + values[0][start:start + 4])[at:at + 4] for start in range(0, count, 4)), ())
    if verb == "shufps":
        return tuple(values[part // 2][start + (number >> 2 * part & 3)] for start in range(0, count, 4) for part in range(4))
    if verb in ("pslldq", "psrldq") and number % 4 == 0 and count == 4:
        zeros = ((ZERO, None),) * (number // 4)
        return (zeros + values[-1])[:4] if verb == "pslldq" else (values[-1] + zeros)[-4:]
    if verb == "pinsrd":
        return values[0][:number] + values[1][:1] + values[0][number + 1:]
    if verb == "pblendw" and count == 4 and all(number >> 2 * at & 3 in (0, 3) for at in range(4)):
        return tuple(values[number >> 2 * at & 1][at] for at in range(count))
    if verb == "pblendd":
        return tuple(values[number >> at & 1][at] for at in range(count))
    if verb in UNPACKS:
        return interleave(*values, *UNPACKS[verb])
    if verb in INSERTS:
        start = 4 * (number % (count // 4))
        return values[0][:start] + values[1][:4] + values[0][start + 4:]
    if verb in EXTRACTS:
        return elements(sources[-1], 16, order)[4 * number:4 * number + 4]
    if verb in PERMUTATIONS:
        size, *places = PERMUTATIONS[verb]
        return _permute(size, *(values[at] for at in places))
    return None


def compute(verb, count, sources, number, order):
    """What an instruction leaves in its destination of `count` words. `sources`: values; `number`: its immediate operand."""
    if verb in BINARY:
        return lanewise(BINARY[verb], count, sources, order)
    if verb in SHIFTS:
        return lanewise(lambda x: SHIFTS[verb](x, number), count, sources[-1:], order)
    if verb == "pternlogd":
        return lanewise(lambda x, y, z: terms.combine(number, x, y, z), count, sources, order)
    if verb in MOVES:
        return elements(sources[-1], count, order) if isinstance(sources[-1], tuple) else sources[-1]
    if verb in BROADCASTS:
        return elements(sources[-1], BROADCASTS[verb], order) * (count // BROADCASTS[verb])
    if verb in SHA:
        values = [elements(source, 4, order) for source in sources]
        lane = lane_of(sum(values, ()))
        return tuple((term, lane) for term in SHA[verb](*([term for term, _ in value] for value in values)))
    moved = _moved(verb, count, sources, number, order)
    if moved is None:
        raise Unreadable(f"instruction {verb}")
    return simplified(moved, order)
