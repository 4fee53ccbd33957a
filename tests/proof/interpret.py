"""An interpreter of what the readers have read: the same instructions, with numbers in place of symbols.

The search runs to its first real test, of one lane; a kernel of batches runs to its end, with one vector of messages. On
numbers no term is more than a number, so that nothing here depends on how terms are written.
"""
import hashlib

import batch
import fips180
import messages
import scan
import streams
import terms
import vectors
import walks
import wide
import woven
from architectures import MACHINES
from architectures import machine as machine_for
from program import Unreadable

_MOST_STEPS = 200000


class Numbers:
    """Random numbers for atoms by name, apart from those that are given."""

    def __init__(self, rng, given):
        self._rng, self._known, self._terms = rng, dict(given), {}

    def __call__(self, name):
        if name not in self._known:
            self._known[name] = self._rng.getrandbits(32)
        return self._known[name]

    def of(self, value):
        """What a caller has put somewhere, with numbers for all but pointers and the sieve mask."""
        if value is None or value == scan.MASK:
            return value
        if isinstance(value, int):
            if value not in self._terms:
                self._terms[value] = terms.const(walks.evaluate(value, self))
            return self._terms[value]
        if isinstance(value, tuple) and not isinstance(value, wide.Wide):
            return tuple((self.of(term), lane) for term, lane in value)
        total = wide.const(value.constant)
        for monomial, factor in value.parts:
            known = len(monomial) == 1 and monomial[0][0] == "value" and monomial[0] != scan.STRIDE
            total = wide.add(total, wide.const(self(monomial[0]) * factor) if known else wide.Wide(0, ((monomial, factor),)))
        return total


class _Done(Exception):
    """The words that are tested first."""


def _go(machine, address, state):
    for _ in range(_MOST_STEPS):
        if not state.frames:
            return state
        ends = machine.step(address, state, True)
        if len(ends) > 1:  # what is tested under the sieve mask is no candidate
            ends = [end for end in ends if _is_no_candidate(end[1])]
        if len(ends) != 1:
            raise Unreadable("a branch that depends on more than numbers")
        (address, state), = ends
    raise Unreadable("no end")


def _is_no_candidate(state):
    return any(kind == "test" and not zero for kind, *_, zero in state.calls[-1:]) or any(zero for _, zero in state.tests[-1:])


def _tested_words(asked):
    """The words of which some terms tell whether they are zero under the sieve mask; None if they tell something else."""
    names = set().union(*(walks.atoms_of(each) for each in asked if isinstance(each, int)))
    if ("sieve mask",) not in names:
        return None
    words = [name[-1] for name in names if name[:2] == ("of", "zero lanes")]
    words = words or [each for each in asked if isinstance(each, int) and each != vectors.ZERO]
    return sorted(walks.evaluate(word, lambda name: terms.MASK) for word in words)


def decided(asked):
    """Raises _Done if a word under the sieve mask is compared, or bits that tell of which vectors' words some are zero."""
    words = _tested_words(asked[1:])
    if words is not None:
        raise _Done(words)


class _Scan(scan.Scan):
    def __init__(self, program, form, tables, numbers):
        super().__init__(program, form.lanes, form.notes, tables, False)
        self.numbers = numbers

    def inputs(self, address, size):
        return self.numbers.of(super().inputs(address, size))

    def constants(self, operand):
        return self.numbers.of(super().constants(operand))

    def decided(self, state, condition, truth):
        decided(condition)


def midstate_names(rolled, version):
    return [("of", f"midstate {i}", version) if rolled else ("midstate", i) for i in range(8)]


def top_word(numbers, nonce, midstate):
    tail = [numbers(("tail", i)) for i in range(3)]
    swapped = int.from_bytes(nonce.to_bytes(4, "big"), "little")
    digest = fips180.digest_of_header(fips180.Numbers, midstate, tail, swapped)
    return fips180.sha256_of_digest(fips180.Numbers, digest)[7]


def tested(machine, address, state):
    try:
        _go(machine, address, state)
    except _Done as done:
        return done.args[0]
    raise Unreadable("nothing is tested")


def search(program, form, tables, rng):
    """(the words of one lane that the machine code tests first, those that the textbook gives), for one header."""
    width = min(form.lanes, MACHINES[program.architecture].WIDEST)
    lane, first = rng.randrange(width), rng.getrandbits(30)
    numbers = Numbers(rng, {("first nonce",): first, ("versions",): 1, ("value", "count"): form.lanes,
                            terms.node(vectors.lane_number(width))[1:]: lane << 24})
    machine = machine_for(_Scan, program, form, tables, numbers)
    state = machine.start(form.entry, machine.inputs, 1)
    machine.pass_arguments(state, [scan.ARGUMENTS])
    midstate = [numbers(("midstate", i)) for i in range(8)]
    nonces = range((first & -form.lanes) + lane, (first & -form.lanes) + form.lanes, width)
    return tested(machine, form.entry, state), sorted(top_word(numbers, nonce, midstate) for nonce in nonces)


_NO_DIGEST = fips180.sha256_of_digest(fips180.Numbers, [0] * 8)[7]


class _Streams(streams.Streams):
    def __init__(self, program, form, tables, rolled, numbers):
        super().__init__(program, form, tables, rolled)
        self.numbers = numbers

    def inputs(self, address, size):
        return self.numbers.of(super().inputs(address, size))

    def decided(self, state, condition, truth):
        super().decided(state, condition, truth)
        tested = [walks.evaluate(call[1], lambda name: terms.MASK) for call in state.calls if call[0] == "test"]
        if self.carries:  # if the first pass tests, it is nothing real
            tested = [word for word in tested if word != _NO_DIGEST]
        if len(tested) == self.streams:
            raise _Done(sorted(tested))


def streams_search(program, form, tables, rolled, rng):
    """As search(), of a form that hashes several nonces side by side: the words that its first real pass tests."""
    first = rng.getrandbits(30)
    numbers = Numbers(rng, {("first nonce",): first, ("versions",): 1 + rolled,
                            ("value", "count"): form.streams})
    machine = machine_for(_Streams, program, form, tables, rolled, numbers)
    state = machine.start(form.entry, machine.inputs, 1)
    machine.pass_arguments(state, [scan.ARGUMENTS])
    midstate = [numbers(name) for name in midstate_names(rolled, vectors.ZERO)]
    expected = sorted(top_word(numbers, first + i, midstate) for i in range(form.streams))
    return tested(machine, form.entry, state), expected


class _Woven(woven.Woven):
    def __init__(self, program, form, tables, numbers):
        super().__init__(program, form, tables, False)
        self.numbers = numbers

    def inputs(self, address, size):
        return self.numbers.of(super().inputs(address, size))

    def constants(self, operand):
        return self.numbers.of(super().constants(operand))


def woven_search(program, form, tables, rng):
    """As search(), of a woven form that runs over one unit: the word of one lane in its last test, the only real one."""
    lane, first = rng.randrange(8), rng.getrandbits(27) << 3
    numbers = Numbers(rng, {("first nonce",): first, ("versions",): 1, ("value", "count"): 8,
                            terms.node(vectors.lane_number(8))[1:]: lane << 24})
    machine = machine_for(_Woven, program, form, tables, numbers)
    state = machine.start(form.entry, machine.inputs, 1)
    machine.pass_arguments(state, [scan.ARGUMENTS])
    midstate = [numbers(name) for name in midstate_names(False, None)]
    tested, _ = _go(machine, form.entry, state).tests[-1]
    return _tested_words([tested]), [top_word(numbers, first + lane, midstate)]


class _Batch(batch.Batch):
    """Every lane for itself: words of different messages have different numbers."""

    def __init__(self, program, form, numbers):
        super().__init__(program, form)
        self.numbers, self.order = numbers, (None,) * 16

    def inputs(self, address, size):
        return self.numbers.of(super().inputs(address, size))

    def _of_input(self, vector, which):
        return terms.add(terms.scale(vector, self.width), terms.const(which)), None


def hashes(program, form, rng):
    """(the bytes that a kernel of batches writes for one vector of messages, those of hashlib)."""
    numbers = Numbers(rng, {("value", "vectors"): 1})
    machine = machine_for(_Batch, program, form, numbers)
    state = machine.start(form.entry, machine.inputs, form.block)
    machine.pass_arguments(state, map(numbers.of, batch.ARGUMENTS))
    written = bytearray(32 * form.width)
    for vector, offset, size, value in _go(machine, form.entry, state).calls:
        at = 32 * form.width * terms.value(vector) + offset
        for word, _ in vectors.elements(value, size // 4, machine.order):
            written[at:at + 4] = terms.value(word).to_bytes(4, "little")
            at += 4
    given = [b"".join(numbers(("of", f"message {w}", terms.const(i))).to_bytes(4, "big")
                      for w in range(form.words)) for i in range(form.width)]
    firsts = [hashlib.sha256(each).digest() for each in given] if form.words == 16 else given
    return written, b"".join(hashlib.sha256(each).digest() for each in firsts)


class _Messages(messages.Messages):
    """Every lane for itself, likewise."""

    def __init__(self, program, form, numbers):
        super().__init__(program, form)
        self.numbers, self.order = numbers, (None,) * 16

    def given(self, word):
        return self.numbers.of(word)

    def of_message(self, number):
        return number, None


def states(program, form, rng):
    """(the words that a kernel for messages of any length leaves of two blocks each, those of the textbook)."""
    numbers = Numbers(rng, {("value", "blocks"): 2})
    machine = machine_for(_Messages, program, form, numbers)
    state = machine.start(form.entry, machine.inputs, 1)
    machine.pass_arguments(state, map(numbers.of, messages.ARGUMENTS))
    written = {}
    for offset, size, value in _go(machine, form.entry, state).calls:
        for at, (word, _) in enumerate(vectors.elements(value, size // 4, machine.order)):
            written[machine.place(offset + 4 * at)] = terms.value(word)
    expected = {}
    for message in range(form.width):
        words = [numbers(terms.node(word)[1:]) for word in messages.state_words(message, vectors.ZERO)]
        for passes in map(terms.const, range(2)):
            block = [numbers(terms.node(word)[1:]) for word in messages.block_words(message, passes)]
            words = fips180.compress(fips180.Numbers, words, block)
        expected |= {(message, at): word for at, word in enumerate(words)}
    return written, expected
