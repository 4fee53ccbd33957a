"""Proofs of the search in the machine code of a form: each pass of its loops, and the function that notes candidates."""
import header
import terms
import vectors
import walks
import wide
from architectures import machine as machine_for
from conditions import condition
from function import run_function
from program import Refuted, Unreadable

FIRST = terms.atom("first nonce")
MASK = terms.atom("sieve mask")
TARGET = terms.atom("target's top word")
COUNT = wide.atom("value", "count")
LANES = terms.atom("lanes")
STRIDE = ("value", "version stride")
ARGUMENTS = wide.atom("pointer", "arguments")
FOUND, CAPACITY = 0x50, 0x48
_SCANNED_BY = wide.add(ARGUMENTS, wide.const(0x58))  # written for tests: which form has run
WRONG_WORD = "the tested word is not the last one of SHA-256(SHA-256(header))"


def _pointer(name):
    return wide.atom("pointer", name)


# ScanArguments (cpu/scan/scan_function.hpp), by offset.
FIELDS = {0x00: _pointer("midstates"), 0x08: _pointer("tail"), 0x10: _pointer("job words"),
           0x18: _pointer("version words"), 0x20: wide.atom(*STRIDE), 0x28: terms.atom("versions"), 0x2c: TARGET,
           0x30: MASK, 0x34: FIRST, 0x38: COUNT, 0x40: _pointer("candidates"), CAPACITY: wide.atom("value", "capacity"),
           FOUND: wide.atom("value", "found")}


def _words(inputs, address, size):
    """What a caller has put at an address: words, or pointers and numbers of 64 bits, as given by `inputs`."""
    if size > 8:
        words = [_words(inputs, address._replace(constant=address.constant + at), 4) for at in range(0, size, 4)]
        if all(word is None for word in words):
            return None
        return tuple((wide.low(wide.fresh("unknown") if word is None else word), None) for word in words)
    value = None if address.constant % 4 else inputs(address)
    if size == 4 and isinstance(value, wide.Wide):
        return wide.low(value)
    return value if size == (8 if isinstance(value, wide.Wide) else 4) else None


def _argument(address):
    return FIELDS.get(address.constant) if address.parts == ARGUMENTS.parts else None


class Scan:
    """Over the machine of a processor (architectures.py)."""

    def __init__(self, program, lanes, notes, tables, rolled):
        super().__init__(program, lanes, notes)
        self.tables, self.rolled = tables, rolled

    def inputs(self, address, size):
        return _words(self._input, address, size)

    def _input(self, address):
        pointers = [atom[1] for monomial, _ in address.parts for atom in monomial if atom[0] == "pointer"]
        if pointers == ["job words"] and len(address.parts) == 1:
            return self.tables["job"][address.constant // 4]
        if pointers == ["version words"]:
            return self._version_word(address)
        return _argument(address)

    def _version_word(self, address):
        factors = {}
        for monomial, factor in address.parts:
            if STRIDE in monomial and factor % 4 == 0:
                factors[tuple(atom for atom in monomial if atom != STRIDE)] = factor // 4
            elif monomial != (("pointer", "version words"),):
                raise Unreadable(f"a load from the version words at {address}")
        index = wide.low(wide.Wide(factors.pop((), 0), tuple(sorted(factors.items()))))
        return header.word_of_version(self.tables["version"][address.constant // 4], index)

    def decided(self, state, condition, truth):
        if condition[0] == "equal" and vectors.ZERO in condition[1:]:
            tested = next(each for each in condition[1:] if each != vectors.ZERO)
            if isinstance(tested, int) and ("sieve mask",) in walks.atoms_of(tested):
                state.tests.append((tested, truth))

    def write(self, state, operand, value):
        if operand.kind != "memory" or operand.size != 8 or self.address(state, operand) != _SCANNED_BY:
            super().write(state, operand, value)

    def end_of_passes(self, start, again, left):
        if len({bool(end.tests) for end in again}) > 1:
            raise Refuted("a pass does not test its nonces")
        for end in again + left:
            self._end_of_pass(end)

    def _end_of_pass(self, state):
        if not state.tests and not state.calls:
            return
        if len(state.tests) != 1:
            raise Refuted(f"a pass decides about {len(state.tests)} vectors of nonces")
        (tested, zero), = state.tests
        if len(state.calls) != (zero == (self.lanes == 1)):
            raise Refuted("a candidate is not noted" if zero == (self.lanes == 1) else "what is no candidate is noted")
        self.seen.append((tested, zero, self._check_note(tested, state.calls[0]) if state.calls else None))
        state.tests, state.calls = [], []

    def _check_note(self, tested, call):
        arguments, version, base, noted, number = (wide.low(each) if i else each for i, each in enumerate(call.numbers))
        midstate = header.midstate_of(version) if self.rolled else tuple(header.MIDSTATE)
        if arguments != ARGUMENTS or not self.rolled and terms.value(version) != 0:
            raise Refuted("a candidate is noted for another job or version")
        swapped = terms.bswap(base)
        if self.lanes == 1:
            words = [header.top_word(swapped, midstate)]
            lanes, given = terms.and_(words[0], MASK), [number]
            passed = terms.value(noted) == 1
        else:
            words = [header.top_word(terms.add(swapped, self.lane, terms.const(at << 24)), midstate)
                     for at in range(0, self.lanes, self.width)]
            lanes = terms.add(*(terms.scale(vectors.zero_lanes(terms.and_(word, MASK), self.width), 1 << self.width * i)
                                for i, word in enumerate(words)))
            given, passed = call.words, noted == lanes
        if tested != lanes:
            raise Refuted(WRONG_WORD)
        if given != words or not passed:
            raise Refuted("the word noted is not the one tested")
        return base, version

    def check(self, vectors_of_block, versions_of_block):
        """After the run: every tested vector was noted where it had a candidate, and loops go on by whole vectors."""
        outcomes = {}
        for tested, zero, _ in self.seen:
            outcomes.setdefault(tested, set()).add(zero)
        if not outcomes or any(len(each) < 2 for each in outcomes.values()):
            raise Refuted("no pass of a loop tests a vector of nonces")
        for base, version in {note for _, _, note in self.seen if note}:
            start = terms.and_(FIRST, terms.const(-self.lanes))
            if counted(terms.sub(base, start)) != _steps(self.lanes, vectors_of_block):
                raise Refuted(f"nonces go on by {counted(terms.sub(base, start))}")
            if counted(version) != (_steps(1, versions_of_block) if self.rolled else []):
                raise Refuted(f"versions go on by {counted(version)}")


def _steps(one, block):
    return [one, one * block] if block > 1 else [one]


def counted(term):
    """The steps by which loops change a term from zero, the innermost loop first; None if it is anything else."""
    constant, factors = terms.summands(term)
    names = {terms.node(part): factor for part, factor in factors.items()}
    if constant or any(name[:3] != ("atom", "low", "index") for name in names):
        return None
    return [names[name] for name in sorted(names, reverse=True)]


class Note:
    """note_lanes(arguments, version, base, lanes, h7)."""

    def inputs(self, address, size):
        return _words(_argument, address, size)

    def write(self, state, operand, value):
        if operand.kind == "memory":
            address = self.address(state, operand)
            pointers = [atom[1] for monomial, _ in address.parts for atom in monomial if atom[0] == "pointer"]
            if pointers == ["arguments"]:
                state.calls.append(("found", (address.constant, operand.size), value))
                return
            if pointers == ["candidates"]:
                state.calls.append(("candidate", (address, operand.size), value))
                return
        super().write(state, operand, value)

    def store_vector(self, state, operand, value):
        """A candidate may be stored as one vector of two words."""
        words = vectors.elements(value, 2, self.order) if isinstance(value, (int, tuple)) else ()
        for at, (word, lane) in enumerate(words if operand.size == 8 else ()):
            if lane is not None:
                raise Unreadable("a store of a word of one lane")
            self.write(state, operand._replace(size=4, offset=operand.offset + 4 * at), word)
        if operand.size != 8:
            super().store_vector(state, operand, value)

    def end_of_passes(self, start, again, left):
        found = []  # (before a pass, after it), where it has counted a candidate
        for end in again + left:
            decisions = {asked: truth for asked, truth in end.decisions.items() if not start or asked not in start.decisions}
            ranges = [asked[2] for asked in decisions if asked[:2] == ("at most", COUNT)]
            if len(ranges) == 1 and isinstance(ranges[0], int):
                self._end_of_pass(end, decisions, ranges[0], bool(start))
            elif ranges or end.calls or any(end is each for each in again):
                raise Refuted("a pass does not compare its nonce with the range")
            counted = [call[2] for call in end.calls if call[0] == "found"]
            found.append((wide.sub(counted[0], terms.const(1)), counted[0]) if counted else None)
        for before in {each[0] for each in found if each} - {FIELDS[FOUND]}:  # it is kept in a register
            self.seen.append(("found", before))
            names = [name for name, value in start.registers.items() if value == before] if start else []
            if not names or any(end.registers[names[0]] != (counted[1] if counted else before)
                                for end, counted in zip(again, found)):
                raise Refuted("candidates are not counted one by one")
        for end in again + left:
            end.calls = []

    def _end_of_pass(self, state, decisions, place, in_loop):
        nonce, in_range = terms.add(place, FIRST), not decisions["at most", COUNT, place]
        number, lane = terms.sub(nonce, terms.atom("base")), None
        if terms.node(number)[:3] == ("atom", "of", "lowest bit"):
            lane = terms.node(number)[3]
        elif self.lanes > 1 or number != vectors.ZERO:
            raise Refuted("the nonce compared with the range is not the lane's")
        passes = decisions.get(("at most", terms.bswap(self.word(lane)), TARGET))
        counted = [call for call in state.calls if call[0] == "found"]
        if (len(counted) == 1) != (in_range and passes is True) or (in_range and passes is None):
            raise Refuted("what is counted is not what passes the target's top word")
        self._check_stores(state.calls, decisions, nonce, counted)
        self.seen.append(("lane", (in_range, passes), lane, in_loop))

    def words(self):
        return [terms.atom("h7", i) for i in range(self.lanes // self.width)]

    def word(self, lane):
        words = self.words()
        return words[0] if self.lanes == 1 else terms.atom("lane of", lane, *words)

    @staticmethod
    def _check_stores(calls, decisions, nonce, counted):
        stores = [call[1:] for call in calls if call[0] == "candidate"]
        expected = []
        if counted:
            before = wide.sub(counted[0][2], terms.const(1))
            place = wide.wide(wide.add(_pointer("candidates"), wide.scale(before, 8)))
            full = decisions.get(("at most", FIELDS[CAPACITY], before))
            if counted[0][1] != (FOUND, 8) or full is None:
                raise Refuted("whether there is a place for a candidate is not looked at")
            if not full:
                expected = [((place, 4), terms.atom("version")), ((place._replace(constant=place.constant + 4), 4), nonce)]
        if sorted(stores) != sorted(expected):
            raise Refuted("a candidate is not stored as its version and its nonce")

    def check(self, ends, unknowns):
        """After the run: the first pass is for the lowest lane of those given, the next one for the others, until none is left."""
        if {each[1] for each in self.seen if each[0] == "lane"} != {(True, True), (True, False), (False, None)}:
            raise Refuted("the target's top word is not compared")
        for before in {each[1] for each in self.seen if each[0] == "found"}:
            if unknowns.get(before, (None,))[0] != FIELDS[FOUND]:
                raise Refuted("candidates are not counted from those found before")
        entered = {wide.low(unknown): values for unknown, values in unknowns.items()}
        left = {LANES}
        for lane in {each[2] for each in self.seen if each[0] == "lane" and each[3]}:
            rest = terms.and_(lane, terms.sub(lane, terms.const(1)))
            first, following = entered.get(lane, (None, ()))
            if first is None or wide.low(first) != LANES or set(map(wide.low, following)) != {rest}:
                raise Refuted("the passes are not for one lane after the other")
            left |= {lane, rest}
        for end in ends:
            none_left = {term for asked, truth in end.decisions.items() if truth and asked[0] == "equal" for term in asked[1:]}
            noted = left == {LANES} and any(asked[:2] == ("at most", COUNT) for asked in end.decisions)  # without a loop
            if not noted and not left & none_left:
                raise Refuted("the function ends before the last lane")


def one_version(truth):
    """A path's decisions that say whether there is one version."""
    asked, _ = condition("e", ("compare", FIELDS[0x28], terms.const(1)))
    return {asked: truth}


def prove_note(program, lanes, entry):
    machine = machine_for(Note, program, lanes)
    numbers, words = [ARGUMENTS, terms.atom("version"), terms.atom("base"), LANES], machine.words()
    machine.check(*run_function(machine, entry, (numbers, words) if lanes > 1 else (numbers + words,), 1))
    return machine.executed


def prove_scan(program, form, tables, rolled):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = machine_for(Scan, program, form.lanes, form.notes, tables, rolled)
    vectors_of_block = form.rolled_nonces if rolled else form.block
    passes = form.block if not rolled or form.rolled_nonces == 1 else form.rolled_nonces
    run_function(machine, form.entry, ([ARGUMENTS],), passes, one_version(not rolled))
    machine.check(vectors_of_block, form.block // form.rolled_nonces)
    return machine.executed
