"""Proofs of the kernels of batches in machine code: what each pass of their loops writes, of which messages.

A message is 64 bytes, or 32 of the first hash of a longer one; the messages follow one another, as do the hashes. Let a vector be as many of them as a kernel takes at a time: in a pass, the
hashes of one vector's messages are written to that vector's place. No message is read in a pass after it has written a hash,
so that hashes may replace messages: a pass reads vector V, or those from V on, and those before it have written hashes V - 1
and less, which end where message V / 2 or V - 1 does.
"""
import functools

import fips180
import terms
import vectors
import wide
from architectures import machine as machine_for
from function import run_function
from program import Refuted, Unreadable

_MESSAGES, _HASHES = wide.atom("pointer", "messages"), wide.atom("pointer", "hashes")
WRONG_WORD = "a word of a hash is not that of the message's"
_WRITTEN = "this pass has written a hash"  # kept among a path's decisions


@functools.cache
def _message(number, words):
    return [terms.atom("of", f"message {w}", number) for w in range(words)]


@functools.cache
def _hash(number, words):
    textbook = fips180.double_sha256_of_64_bytes if words == 16 else fips180.sha256_of_digest
    return [terms.bswap(word) for word in textbook(terms, _message(number, words))]


class Batch:
    """Over the machine of a processor (architectures.py)."""

    def __init__(self, program, form):
        super().__init__(program, form.lanes)
        self.width, self.order, self.words = form.width, form.order, form.words

    def _place(self, address, pointer, size):
        """(vector, offset in it) of an address in an array with `size` bytes for each message; None if it is none of it."""
        if pointer.parts[0] not in address.parts:
            return None
        size *= self.width
        constant = address.constant - (address.constant >> 63 << 64)
        number = [terms.const(constant // size)]
        for monomial, factor in address.parts:
            if (monomial, factor) != pointer.parts[0]:
                if factor % size or len(monomial) != 1 or monomial[0][0] not in ("index", "sum"):
                    raise Unreadable(f"a place in an array at {address}")
                number.append(terms.scale(terms.atom("low", *monomial[0]), factor // size))
        return terms.add(*number), constant % size

    def _of_input(self, vector, which):
        """(number of a message, its lane): lanes are those of one vector."""
        if self.lanes > 1:
            return vector, which
        return terms.add(terms.scale(vector, self.width), terms.const(which)), None

    def inputs(self, address, size):
        size_of_message = 4 * self.words
        place = self._place(address, _MESSAGES, size_of_message)
        if place is None:
            return None
        vector, offset = place
        if offset % 4 or size not in (4, 16, 32, 64) or offset + size > size_of_message * self.width:
            raise Unreadable("a load of a part of a message")
        words = []
        for at in range(offset, offset + size, 4):
            number, lane = self._of_input(vector, at // size_of_message)
            words.append((terms.bswap(_message(number, self.words)[at % size_of_message // 4]), lane))
        return vectors.of_words(words)

    def load_element(self, state, address, size=4):
        self._check_order(state, address)
        return super().load_element(state, address, size)

    def load_vector(self, state, address, size):
        self._check_order(state, address)
        return super().load_vector(state, address, size)

    @staticmethod
    def _check_order(state, address):
        if _MESSAGES.parts[0] in address.parts and _WRITTEN in state.decisions:
            raise Refuted("a message is read after a hash has been written")

    def decided(self, state, asked, truth):
        """A pointer that has come to its end is the end."""
        if truth and asked[0] == "equal" and all(isinstance(each, wide.Wide) for each in asked[1:]):
            end, counted = sorted(asked[1:], key=lambda each: any(m[0][0] == "index" for m, _ in each.parts))
            for name, value in state.registers.items():
                if value == counted:
                    state.registers[name] = end

    def write(self, state, operand, value):
        if operand.kind != "memory" or not self._is_output(state, operand, [(wide.low(value), None)]):
            super().write(state, operand, value)

    def store_vector(self, state, operand, value):
        if not self._is_output(state, operand, value):
            super().store_vector(state, operand, value)

    def _is_output(self, state, operand, value):
        address = self.address(state, operand)
        if _MESSAGES.parts[0] in address.parts:
            raise Refuted("a message is overwritten")
        place = self._place(address, _HASHES, 32)
        if place and (place[1] % 4 or operand.size % 4):
            raise Refuted("a part of a hash's word is written")
        if place:
            state.calls.append((*place, operand.size, value))
            state.decisions[_WRITTEN] = True
        return place is not None

    def end_of_passes(self, start, again, left):
        for end in again + left:
            if end.calls:
                self._end_of_pass(end.calls)
            end.calls = []

    def _end_of_pass(self, stores):
        written = {}
        for vector, offset, size, value in stores:
            words = vectors.elements(value, size // 4, self.order)
            for at, word in zip(range(offset, offset + size, 4), words):
                if at in written:
                    raise Refuted("a word of a hash is written twice")
                written[at] = vector, *word
        numbers = {vector for vector, _, _ in written.values()}
        if len(numbers) != 1 or sorted(written) != list(range(0, 32 * self.width, 4)):
            raise Refuted("a pass does not write the hashes of one vector")
        vector, = numbers
        for at, (_, term, lane) in written.items():
            number, own_lane = self._of_input(vector, at // 32)
            if (term, lane) != (_hash(number, self.words)[at % 32 // 4], own_lane):
                raise Refuted(WRONG_WORD)
        self.seen.append(vector)

    def check(self):
        """After the run: vectors are done one after the other."""
        if not self.seen:
            raise Refuted("no hashes are written")
        for vector in self.seen:
            constant, factors = terms.summands(vector)
            kinds = sorted(terms.node(part)[:3] for part in factors)
            if constant or set(factors.values()) != {1} or kinds not in (
                    [("atom", "low", "index")], [("atom", "low", "index"), ("atom", "low", "sum")]):
                raise Refuted("vectors are not done one after the other")


ARGUMENTS = (_HASHES, _MESSAGES, wide.atom("value", "vectors"))  # of the function


def prove_batch(program, form):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = machine_for(Batch, program, form)
    run_function(machine, form.entry, (ARGUMENTS,), form.block)
    machine.check()
    return machine.executed
