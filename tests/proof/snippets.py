"""What the reader has of functions of a few instructions over a buffer, for tests that run these with numbers."""
import math

import terms
import walks
import wide
from architectures import MACHINES
from engine import Engine

ROWS, LANES = 6, 16  # the buffer: rows of 16 words, of which the first four are operands and the others results

_BUFFER = wide.atom("pointer", "frame of the caller")  # which they may store to


def _inputs(address, size, lanes):
    row, at = divmod(address.constant, 64)
    if row >= 4:
        return None
    if size >= 16 and not at and lanes > 1 and size >= 4 * lanes:
        return terms.atom("row", row)
    words = [terms.atom("word", row, at // 4 + i) for i in range(size // 4)]
    return tuple((word, None) for word in words) if size > 4 else words[0]


class Reader:
    """Of a library or program with functions that get the buffer's address."""

    def __init__(self, linked):
        self.linked = linked

    def ends(self, name, lanes):
        """[(conditions of a path, memory at its end)] of a function."""
        machine = MACHINES[self.linked.architecture](self.linked, lanes)
        machine.forks_at_moves = True
        entry = self.linked.symbols[name][0]
        state = machine.start(entry, lambda address, size: _inputs(address, size, lanes), 1)
        machine.pass_arguments(state, [_BUFFER])
        return [(end.decisions, end.memory) for _, end in Engine(machine).run(entry, state)]


def _number(term, rows, lane, lanes=LANES):
    def atom(name):
        if name[0] == "lane number << 24":
            return lane << 24
        kind, row, *place = name
        if kind == "low" and row == "product":
            return math.prod(_number(term, rows, lane) for _, term in place[0])
        if kind == "of" and row == "zero lanes":
            return sum((_number(place[-1], rows, each) == 0) << each for each in range(lanes))
        if kind == "of" and row == "is zero":
            return 0 if _number(place[0], rows, lane) else terms.MASK
        if kind == "of" and row == "lowest bit":
            number = _number(place[0], rows, lane)
            return (number & -number).bit_length() - 1
        return rows[row][lane if kind == "row" else place[0]]
    return walks.evaluate(term, atom)


def _holds(condition, rows):
    relation, x, y = condition
    x, y = (_number(wide.low(each), rows, 0) for each in (x, y))
    return x == y if relation == "equal" else x <= y


def expected(ends, rows, lanes):
    """The words that the reader finds in the first row of results."""
    path, = [memory for decisions, memory in ends
             if all(_holds(condition, rows) == truth for condition, truth in decisions.items())]
    cells = path.cells[_BUFFER.parts]
    size, value = cells[256]
    if size <= 8:
        return [_number(wide.low(value), rows, 0, lanes)]
    words = [(value, lane) for lane in range(size // 4)] if isinstance(value, int) else value
    return [_number(term, rows, lane if lane is not None else 0) for term, lane in words]


def random_rows(rng):
    """A buffer's contents, with some numbers more often than by chance."""
    rows = [[rng.choice([0, 1, 7, 0x80000000, 0xffffffff, *[rng.getrandbits(32)] * 9]) for _ in range(LANES)]
            for _ in range(ROWS)]
    if rng.random() < 0.3:
        rows[1] = list(rows[0])
    return rows
