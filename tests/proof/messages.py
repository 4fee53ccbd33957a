"""Proofs of the kernels for messages of any length in machine code: each pass compresses a block into each message's state.

The state of a message before a pass is a function of the number of passes so far: before the first one it is what the caller
has given, and after a pass it is, by its definition, the compression of the pass's block from the state before it. At the end
the caller gets the states after as many passes as there are blocks.
"""
import functools

import fips180
import terms
import vectors
import walks
import wide
from architectures import machine as machine_for
from function import run_function
from handed_on import Formula, replaced, terms_in
from memory import NeverWritten
from program import Refuted, Unreadable
from state import get

_STATES, _BLOCKS, _COUNT = wide.atom("pointer", "states"), wide.atom("pointer", "blocks"), wide.atom("value", "blocks")
_WORDS_OF = {"kLanes": range(8), "kShaNi": (5, 4, 1, 0, 7, 6, 3, 2), "kSha2": range(8)}  # which word of a state is where
_WRITTEN = "a state has been written"  # kept among a path's decisions
WRONG_WORD = "a word of a state is not that of the compression"
ARGUMENTS = (_STATES, _BLOCKS, _COUNT)  # of the function


@functools.cache
def state_words(message, passes):
    """A message's state after so many passes, a term; `message`: None for that of a lane."""
    return tuple(terms.atom("of", f"state {w} of {message}", passes) for w in range(8))


@functools.cache
def block_words(message, passes):
    return tuple(terms.atom("of", f"word {w} of {message}", passes) for w in range(16))


@functools.cache
def _names(message, passes):
    """{compressed word: word of the state after so many passes}"""
    before = terms.sub(passes, terms.const(1))
    return dict(zip(fips180.compress(terms, state_words(message, before), block_words(message, before)), state_words(message, passes)))


def _named(word, message, passes):
    """A word, by its name if it is one of the state after so many passes."""
    return _names(message, passes).get(word, word)


class Messages:
    """Over the machine of a processor (architectures.py)."""

    def __init__(self, program, form):
        super().__init__(program, form.lanes)
        self.form, self.active = form, []

    def of_message(self, number):
        """(its name in terms, its lane)"""
        return (None, number) if self.lanes > 1 else (number, None)

    def place(self, offset):
        """(message, word) that is at an offset in the states."""
        if self.lanes > 1:
            return offset % (4 * self.form.width) // 4, offset // (4 * self.form.width)
        return offset // 32, _WORDS_OF[self.form.layout][offset % 32 // 4]

    def inputs(self, address, size):
        pointers = [atom[1] for monomial, _ in address.parts for atom in monomial if atom[0] == "pointer"]
        if pointers == ["blocks"]:
            number, rest = divmod(address.constant, 8)
            if size != 8 or rest or number >= self.form.width or len(address.parts) > 1:
                raise Unreadable("a load from the blocks' addresses")
            return wide.atom("pointer", f"block of {number}")
        words = []
        for at in range(0, size, 4):
            word = self._word(pointers, address._replace(constant=address.constant + at))
            if word is None:
                return None
            words.append(word)
        return vectors.simplified(tuple(words), self.order) if size > 8 else vectors.of_words(words)

    def _word(self, pointers, address):
        """(term, lane) of what a caller has put at an address."""
        if address.parts == _STATES.parts and 0 <= address.constant < 32 * self.form.width and address.constant % 4 == 0:
            message, word = self.place(address.constant)
            message, lane = self.of_message(message)
            return self.given(state_words(message, vectors.ZERO)[word]), lane
        if len(pointers) != 1 or not pointers[0].startswith("block of "):
            return None
        message, lane = self.of_message(int(pointers[0].split()[-1]))
        signed = address.constant - (address.constant >> 63 << 64)
        passes, offset = [terms.const(signed // 64)], signed % 64
        for monomial, factor in address.parts:
            if monomial[0][0] != "pointer":
                if factor % 64 or len(monomial) != 1 or monomial[0][0] != "index":
                    raise Unreadable("a place in a block")
                passes.append(terms.scale(wide.low_of_index(monomial[0][1]), factor // 64))
        if offset % 4:
            raise Unreadable("a part of a message's word")
        return terms.bswap(self.given(block_words(message, terms.add(*passes))[offset // 4])), lane

    @staticmethod
    def given(word):
        """What a word of the caller's is: interpret.py has numbers for them."""
        return word

    def formulas(self, state, steps, index):
        """{place: Formula} of what begins as words of states and changes in no regular way."""
        found = {}
        for place, step in steps.items():
            value = get(state, place)
            names = set() if step is not None or value is None else {
                name for term in terms_in(place, value) for name in walks.atoms_of(term)}
            if names and all(name[0] == "of" and name[1].startswith("state ") for name in names):
                later = {name: terms.atom(*name[:-1], wide.low_of_index(index)) for name in names if name[-1] == vectors.ZERO}
                found[place] = Formula(replaced(place, value, later))
        return found

    def _known(self, value):
        """A value with the words of the next state, if it has such, called by their names."""
        passes = terms.add(wide.low_of_index(self.active[-1]), terms.const(1))
        if isinstance(value, tuple):
            return tuple((self._known(term), lane) for term, lane in value)
        for message in ([None] if self.lanes > 1 else range(self.form.width)) if isinstance(value, int) else ():
            value = _named(value, message, passes)
        return value

    def step(self, address, state, deep):
        ends = super().step(address, state, deep)
        target = self.program.instruction(address).operands[:1] if deep else ()
        if target and target[0].kind == "vector" and self.active:
            for _, end in ends:
                if target[0].name in end.registers:
                    end.registers[target[0].name] = self._known(end.registers[target[0].name])
        return ends

    def write(self, state, operand, value):
        value = self._known(value) if self.active and isinstance(value, int) else value
        if operand.kind != "memory" or not self._is_output(state, operand, [(wide.low(value), None)]):
            super().write(state, operand, value)

    def store_vector(self, state, operand, value):
        if not self._is_output(state, operand, value):
            super().store_vector(state, operand, value)

    def _is_output(self, state, operand, value):
        address = self.address(state, operand)
        pointers = {atom[1] for monomial, _ in address.parts for atom in monomial if atom[0] == "pointer"}
        if any(name.startswith("block") for name in pointers):
            raise Refuted("what the caller has given is overwritten")
        if address.parts != _STATES.parts:  # at an index: see Memory.store()
            return False
        if address.constant % 4 or operand.size % 4:
            raise Refuted("a part of a state's word is written")
        state.calls.append((address.constant, operand.size, value))
        state.decisions[_WRITTEN] = True
        return True

    def load_element(self, state, address, size=4):
        self._check_order(state, address)
        return super().load_element(state, address, size)

    def load_vector(self, state, address, size):
        self._check_order(state, address)
        try:
            return super().load_vector(state, address, size)
        except NeverWritten:  # what passes hand on has not become the next state
            if size == 4:
                raise
            return self.unknown_vector()

    @staticmethod
    def _check_order(state, address):
        if address.parts == _STATES.parts and _WRITTEN in state.decisions:
            raise Unreadable("a state is read after it has been written")

    def end_of_passes(self, start, again, left):
        if any(end.calls for end in again + left):
            raise Refuted("a state is written before the last pass")

    def after_loops(self, ends):
        """Each end has to write the states after as many passes as there are blocks; and there has to be one after a pass."""
        if all(terms.value(passes) is not None for end in ends for passes in self._passes_done(end)):
            raise Refuted("no pass leads to an end")
        for end in ends:
            written = {}
            for offset, size, value in end.calls:
                for at, word in enumerate(vectors.elements(value, size // 4, self.order)):
                    written[offset + 4 * at] = word
            done = self._passes_done(end)
            if sorted(written) != list(range(0, 32 * self.form.width, 4)):
                raise Refuted("not all states are written")
            for offset, word in written.items():
                message, at = self.place(offset)
                name, lane = self.of_message(message)
                if not any(_named(word[0], name, passes) == state_words(name, passes)[at] for passes in done) or word[1] != lane:
                    raise Refuted(WRONG_WORD)

    @staticmethod
    def _passes_done(end):
        """Terms for the number of blocks, by what a path has decided."""
        blocks, found = wide.scale(_COUNT, 64), []
        for asked, truth in end.decisions.items():
            if asked[0] == "equal" and truth and blocks in asked[1:]:
                other = wide.wide(next(each for each in asked[1:] if each != blocks))
                if other.constant % 64 == 0 and all(factor % 64 == 0 and monomial[0][0] == "index" for monomial, factor in other.parts):
                    found.append(wide.low(wide.Wide(other.constant // 64, tuple((m, f // 64) for m, f in other.parts))))
        return found


def prove_messages(program, form):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = machine_for(Messages, program, form)
    run_function(machine, form.entry, (ARGUMENTS,), 1)
    return machine.executed
