"""What readers of machine code have in common: state at a function's entry, memory, and what proofs look at."""
from typing import NamedTuple

import terms
import vectors
import wide
from memory import Memory, NeverWritten
from program import Refuted, Unreadable
from state import State

STACK = wide.atom("pointer", "stack")


class Call(NamedTuple):
    """The arguments with which a function is called that is not followed."""
    numbers: tuple  # general registers
    words: list     # vectors


class Machine:
    """What a function does. `notes`: addresses of functions that are not followed: note_lanes.

    For each processor: WIDEST, the lanes of the widest vectors; STACK_POINTER; SAVED and ARGUMENTS, names of general registers
    that a function leaves as they are, and that its arguments are in; CALL, the verb of a call; successors(address),
    writes(instruction), names of the registers that it writes, address(state, operand); _quickly(),
    which executes what is not worth looking at in a shallow execution, and _follow(), which gives [(address, state)].
    """

    SHORT = 64
    merges_first, fewest_words = True, 1  # see engine.py
    forks_at_moves = False  # whether a conditional move is followed like a jump around a move

    def __init__(self, program, lanes, notes=()):
        self.program, self.lanes, self.notes = program, lanes, set(notes)
        self.width = min(lanes, self.WIDEST)  # lanes of one vector
        self.loops = program.loops
        self.executed = set()  # addresses
        self.seen = []  # what end_of_passes() has found
        self.lane = vectors.lane_number(self.width)
        self.order = tuple(range(16)) if lanes > 1 else (None,) * 16  # which input a lane belongs to

    def step(self, address, state, deep):
        instruction = self.program.instruction(address)
        if deep:
            self.executed.add(address)
        elif self._quickly(instruction, state):
            return [(instruction.next, state)]
        try:
            return self._follow(instruction, state, deep)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise Unreadable(f"{address:x}: {instruction.text} ({error!r})") from error
        except Unreadable as error:
            raise type(error)(f"{address:x}: {instruction.text}: {error}") from error

    @staticmethod
    def formulas(state, steps, index):
        """{place: Formula} of what changes in no regular way (its step is None) and is known as a function of the number of passes."""
        return {}

    @staticmethod
    def by_itself(_):
        """Whether the first pass of a loop that is entered with a state is to be executed by itself."""
        return False

    def passes_by_themselves(self, again, left, following):
        """To be overridden where by_itself() is: looks at the ends of such a pass, in the loop and out of it. `following()`: the
        ends of one more pass, in the loop. Returns whether that was one to be executed by itself.
        """

    @staticmethod
    def head(head, body):
        """Where a pass of a loop is taken to begin: some place that all passes come by."""
        return head

    def after_loops(self, ends):
        """Looks at the ends of a function that has loops."""
        if any(end.tests or end.calls for end in ends):
            raise Refuted("nonces are tested outside of the loops")

    def end_of_passes(self, start, again, left):
        """To be overridden: looks at what a pass of a loop has tested and called, at its ends in the loop and out of it."""

    def decided(self, state, condition, truth):
        """To be overridden: a path on which a condition holds or not."""

    def start(self, entry, inputs, passes):
        """The state at a function's entry."""
        state = State(Memory(inputs, passes))
        state.registers |= {name: wide.atom("saved", name) for name in self.SAVED}
        state.registers[self.STACK_POINTER] = STACK
        state.frames.append(entry)
        return state

    def pass_arguments(self, state, numbers, words=()):
        """Puts arguments where a function finds them."""
        state.registers |= dict(zip(self.ARGUMENTS, numbers))
        state.registers |= {f"v{i}": word for i, word in enumerate(words)}

    def arguments(self, state):
        """A Call of a function of the search."""
        return Call(tuple(state.registers.get(name) for name in self.ARGUMENTS),
                    [state.registers.get(f"v{i}") for i in range(self.lanes // self.width)])

    def is_as_before(self, end):
        """Whether a function has left the registers as it is to leave them."""
        return all(end.registers.get(name) == wide.atom("saved", name) for name in self.SAVED)

    def written(self, entry):
        """The registers that a function, and what it calls, may write. (Compilers know them, too, and use the others.)"""
        found, seen, pending = set(), set(), [entry]
        while pending:
            address = pending.pop()
            if address in seen:
                continue
            seen.add(address)
            instruction = self.program.instruction(address)
            found |= self.writes(instruction)
            pending += self.successors(address)
            if instruction.verb == self.CALL:
                pending.append(self.target(instruction))
        return found

    @staticmethod
    def target(instruction):
        operand = instruction.operands[-1]
        if operand.kind != "code":
            raise Unreadable("a jump to a computed address")
        return operand.name

    def unknown_vector(self):
        """What is in a register of which nothing is known."""
        return wide.low(wide.fresh("unknown"))

    def uniform(self, value, count):
        """A vector that is tested, as one term."""
        return vectors.uniform(value, self.order, count)

    def constants(self, operand):
        """A vector of the program's constants."""
        return vectors.of_constants(self.program.constants(operand.name, operand.size), self.order, self.lane)

    def load_vector(self, state, address, size):
        try:
            cell_size, value, offset = state.memory.load(address, size)
        except NeverWritten:
            if size == 4:
                raise
            pieces = [self.load_vector(state, wide.wide(wide.add(address, terms.const(at))), 4) for at in range(0, size, 4)]
            return vectors.simplified(sum((vectors.elements(piece, 1, self.order) for piece in pieces), ()), self.order)
        if cell_size <= 8 and isinstance(value, (int, wide.Wide)):
            value = tuple((half, None) for half in (wide.halves(value) if cell_size == 8 else [wide.low(value)]))
        if offset or isinstance(value, tuple) or size < 16:
            words = vectors.elements(value, 16, self.order)
            value = words[offset // 4:offset // 4 + size // 4]
        return value

    def load(self, state, address, size):
        """A number, for a general register."""
        value, lane = self.load_element(state, address, size)
        if lane is not None:
            raise Unreadable("a load of a word of one lane")
        return value

    def load_element(self, state, address, size=4):
        """(a number, the lane that it belongs to, if it is a word of one)."""
        lane = [part for part in address.parts if part[0][0][0] == "zext" and
                terms.node(part[0][0][1])[:3] == ("atom", "of", "lowest bit")]
        if len(lane) == 1 and size == 4 and lane[0][1] == 4:
            bits = terms.node(lane[0][0][0][1])[3]
            return self._load_lane(state, address._replace(parts=tuple(p for p in address.parts if p not in lane)), bits), None
        cell_size, value, offset = state.memory.load(address, size)
        words = isinstance(value, tuple) and isinstance(value[0], tuple)
        if not isinstance(value, (int, tuple)) or cell_size == 4 and not isinstance(value, int) and not words:
            return wide.fresh("unknown") if size == 8 else wide.low(wide.fresh("unknown")), None
        if cell_size >= 16 or words:
            if size != 4:
                return self._joined(vectors.elements(value, cell_size // 4, self.order)[offset // 4:][:size // 4]), None
            return vectors.elements(value, cell_size // 4, self.order)[offset // 4]
        if offset != 0:
            raise Unreadable("a load of an upper half")
        return value if size == cell_size else wide.low(value), None

    @staticmethod
    def _joined(words):
        """Two words as a number."""
        if len(words) != 2 or any(lane is not None for _, lane in words):
            raise Unreadable("a load of a part of a vector")
        return wide.add(words[0][0], wide.scale(words[1][0], 1 << 32))

    def _load_lane(self, state, address, bits):
        """The lane whose number is that of the lowest one of `bits`, of vectors that have been stored one after the other."""
        pieces, at = [], 0
        while at < self.lanes * 4:
            size, value, offset = state.memory.load(wide.add(address, terms.const(at)), 4 * self.width)
            if offset or size < 4 * self.width:
                raise Unreadable("a lane of something else than whole vectors")
            pieces.append(vectors.uniform(value, self.order, size // 4))
            at += size
        return terms.atom("lane of", bits, *pieces)

    def write(self, state, operand, value):
        if operand.kind == "register":
            if operand.size == 8:
                state.registers[operand.name] = value
            elif operand.size == 4:
                state.registers[operand.name] = wide.low(value)
            else:
                raise Unreadable("a write to a part of a register")
        else:
            state.memory.store(self.address(state, operand), operand.size, value if operand.size == 8 else wide.low(value))

    def store_vector(self, state, operand, value):
        if operand.size < 16 and isinstance(value, (int, tuple)):
            value = vectors.elements(value, operand.size // 4, self.order)
            if operand.size == 4 and value[0][1] is None:
                value = value[0][0]
        if isinstance(value, tuple):
            value = value[:operand.size // 4]
        state.memory.store(self.address(state, operand), operand.size, value)
