"""Proofs of the search with SHA instructions in machine code: each nonce is tested and noted by itself.

A pass makes the first hashes of some nonces and the second hashes of those of the pass before it. The first of all passes is
looked at by itself: it must not note anything. With several versions a pass may follow one of another version, or of another
block of nonces: what it gets is then the first hash of some nonce with some version, both of which it gets as well ("carried").
"""
from typing import NamedTuple

import header
import terms
import vectors
import walks
import wide
from architectures import machine as machine_for
from conditions import condition
from function import run_function
from memory import NeverWritten
from program import Refuted, Unreadable
from scan import ARGUMENTS, CAPACITY, COUNT, FIELDS, FIRST, FOUND, MASK, TARGET, WRONG_WORD, Scan, one_version
from state import places, word_at

_CANDIDATES = wide.atom("pointer", "candidates")
_FOUND = wide.add(ARGUMENTS, terms.const(FOUND))
_FIRST_PASS = "the first of all passes has been made"  # kept among a path's decisions


def word_of_job(address, rolled):
    """A word of the header's tail or of a midstate; None if an address is of neither."""
    pointer, *others = sorted(address.parts, key=lambda part: part[0][0][0] != "pointer")
    if pointer[0] == (("pointer", "tail"),) and not others:
        return header.TAIL[address.constant // 4]
    if pointer[0] != (("pointer", "midstates"),) or others and not rolled:
        return None
    if not rolled:
        return header.MIDSTATE[address.constant // 4]
    if any(factor % 32 or len(monomial) != 1 or monomial[0][0] not in ("index", "zext") for monomial, factor in others):
        raise Unreadable("a load from the midstates that is none for each version")
    version = wide.low(wide.Wide(address.constant // 32, tuple((monomial, factor // 32) for monomial, factor in others)))
    return header.midstate_of(version)[address.constant % 32 // 4]


def _is_carried(value):
    return isinstance(value, int) and terms.node(value)[:2] == ("atom", "carried")


def _counted(term, begun):
    """(constant, {index: step}) of a term that counts passes, less what passes by themselves have counted."""
    constant, factors = terms.summands(term)
    names = {terms.node(part): factor for part, factor in factors.items()}
    if any(name[:3] != ("atom", "low", "index") for name in names):
        raise Refuted("the next pass gets something else than nonces and versions that go on")
    steps = {name[3]: factor for name, factor in names.items()}
    return constant - sum(step for index, step in steps.items() if index in begun), steps


class _HandedOn(NamedTuple):
    """What is in place of words that are handed on, of a loop inside of those that are active."""
    active: tuple
    begun: frozenset
    entered: list  # {word: what is there before any pass}
    after: list    # {word: what is there after one}


class Streams(Scan):
    def __init__(self, program, form, tables, rolled):
        super().__init__(program, 1, (), tables, rolled)
        self.streams, self.block, self.carries = form.streams, form.block, form.carries
        self.handed_on = {}  # by the loops' numbers: _HandedOn
        self.compared, self.distances = {}, {}  # by tested word: what is compared with the target, and with the range

    def start(self, entry, inputs, passes):
        state = super().start(entry, inputs, passes)
        state.memory.store(_FOUND, 8, FIELDS[FOUND], True)  # what it is later is not the caller's
        no_version, _ = condition("e", ("compare", FIELDS[0x28], vectors.ZERO))
        state.decisions[no_version] = False
        return state

    def _input(self, address):
        if not address.parts:
            return None
        word = word_of_job(address, self.rolled)
        return super()._input(address) if word is None else word

    fewest_words = 2  # what is handed on is of a nonce and a version

    def load_vector(self, state, address, size):
        """What a pass hands on is unknown until it is known what that is."""
        try:
            return super().load_vector(state, address, size)
        except NeverWritten:
            return tuple((wide.low(wide.fresh("unknown")), None) for _ in range(size // 4))

    def by_itself(self, state):
        return self.carries and _FIRST_PASS not in state.decisions

    def decided(self, state, condition, truth):
        kind, x, y = condition if len(condition) == 3 else (*condition, None)
        if kind == "equal" and vectors.ZERO in (x, y):
            tested = y if x == vectors.ZERO else x
            if isinstance(tested, int) and ("sieve mask",) in walks.atoms_of(tested):
                state.calls.append(("test", tested, truth))
        elif kind == "at most" and x == COUNT:
            state.calls.append(("outside", y, truth))
        elif kind == "at most" and y == TARGET:
            state.calls.append(("passes", x, truth))
        elif kind == "at most" and x == FIELDS[CAPACITY]:
            state.calls.append(("full", y, truth))

    def write(self, state, operand, value):
        if operand.kind == "memory":
            address = self.address(state, operand)
            if _CANDIDATES.parts[0] in address.parts:
                state.calls.append(("candidate", (address, operand.size), value))
                return
            if address == _FOUND:
                before = state.memory.load(address, 8)[1]
                state.calls.append(("found", before, operand.size == 8 and wide.difference(value, before) == terms.const(1)))
                state.memory.store(address, operand.size, value, True)
                return
        super().write(state, operand, value)

    def passes_by_themselves(self, again, left, following=list):
        for end in again + left:
            if any(kind in ("candidate", "found") for kind, *_ in end.calls):
                raise Refuted("something is noted before the first nonces are hashed")
            if end.calls:
                end.decisions[_FIRST_PASS] = True
            end.calls = []
        if again and all(map(self.by_itself, again)) and any(end.calls for end in following()):  # it is asked first if this is real
            for end in again:
                end.decisions[_FIRST_PASS] = True
        return not any(map(self.by_itself, again))

    def after_loops(self, ends):
        """The last nonces' second hashes may come after the loops."""
        self.passes_by_themselves([], [end for end in ends if self.by_itself(end)])
        for end in ends:
            self._end_of_pass(end.calls)

    def end_of_passes(self, start, again, left):
        if len({bool(end.calls) for end in again}) > 1:
            raise Refuted("a pass does not test its nonces")
        for end in again + left:
            self._end_of_pass(end.calls)
            end.calls = []
        words = {word_at(start, place): place for place in places(start) if _is_carried(word_at(start, place))} if start else {}
        if words:
            entered, after = ([{word: word_at(each, place) for word, place in words.items()} for each in states]
                              for states in (start.entered, again))
            self.handed_on[self.active[-1]] = _HandedOn(tuple(self.active), frozenset(self.begun), entered, after)

    def _check_handed_on(self, nonce, version):
        """What a pass leaves in place of a nonce and a version is what it has made, in the loops around it too."""
        passes = self.handed_on[terms.node(nonce)[2]]
        if terms.node(nonce)[:3] != terms.node(version)[:3]:
            raise Refuted("a nonce and a version that are handed on do not belong together")
        for words in passes.after:
            self._check_pair(words[nonce], words[version], passes.active, passes.begun)
        for words in passes.entered:
            carried = {_is_carried(words[nonce]), _is_carried(words[version])}
            if len(carried) > 1:
                raise Refuted("a nonce and a version that are handed on do not belong together")
            if True in carried:
                self._check_handed_on(words[nonce], words[version])

    def _check_pair(self, nonce, version, active, begun):
        """Whether both go on with all loops around a pass. (After a loop a number of passes is that of its last one.)"""
        nonce_start, nonce_steps = _counted(terms.sub(nonce, FIRST), begun)
        version_start, version_steps = _counted(version, begun)
        first = {(self.streams, ): 0, (self.block, self.streams): 0, (self.block,): self.block - self.streams,
                 (): self.block - self.streams}.get(tuple(sorted(nonce_steps.values(), reverse=True)))
        if nonce_start != first or version_start or list(version_steps.values()) != [1] or not (
                set(active) <= nonce_steps.keys() | version_steps.keys()):
            raise Refuted("the next pass does not get the nonces and the version of this one")

    def _end_of_pass(self, calls):
        if not calls:
            return
        starts = [at for at, call in enumerate(calls) if call[0] == "test"]
        if len(starts) != self.streams or starts[0] != 0:
            raise Refuted(f"a pass decides about {len(starts)} nonces")
        for begin, end in zip(starts, [*starts[1:], len(calls)]):
            self._one_nonce(*calls[begin][1:], calls[begin + 1:end])

    def _one_nonce(self, tested, zero, calls):
        """What a path does after a word has been tested."""
        made = {kind: rest for kind, *rest in calls if kind != "candidate"}
        stores = [rest for kind, *rest in calls if kind == "candidate"]
        if not zero:
            if calls:
                raise Refuted("what is no candidate is noted")
            self.seen.append((tested, "no candidate", None, None))
            return
        place, outside = made.get("outside", (None, None))
        word, passes = made.get("passes", (None, None))
        if len(made) + len(stores) != len(calls) or ("found" in made) != (outside is False and passes is True):
            raise Refuted("what is counted is not what lies in the range and passes the target's top word")
        if "outside" in made:
            self.distances.setdefault(tested, set()).add(place)
        if "passes" in made:
            self.compared.setdefault(tested, set()).add(word)
        if "found" not in made:
            if stores or not (outside or passes is False):
                raise Refuted("a candidate is not noted")
            return
        if not isinstance(place, int):
            raise Unreadable("a comparison with the range in another way than by a nonce's distance from the first")
        self.seen.append((tested, *self._check_note(made, stores, terms.add(place, FIRST))))

    def _check_note(self, made, stores, nonce):
        """(what becomes of a candidate, nonce, version if it is stored)."""
        before, one_more = made["found"]
        looked_at, full = made.get("full", (None, None))
        if not one_more or looked_at != before:
            raise Refuted("candidates are not counted one by one, or whether there is a place is not looked at")
        if full and not stores:
            return "full", nonce, None
        place = wide.wide(wide.add(_CANDIDATES, wide.scale(before, 8)))
        stored = {tuple(where): value for where, value in stores}
        version = stored.get((place, 4))
        if full or not isinstance(version, int) or len(stores) != 2 or stored != {
                (place, 4): version, (place._replace(constant=place.constant + 4), 4): nonce}:
            raise Refuted("a candidate is not stored as its version and its nonce")
        if not self.rolled and version != vectors.ZERO:
            raise Refuted("a candidate is noted for another version")
        return "noted", nonce, version

    def check(self):
        """After the run: each word that is tested is the right one, and is noted where it has to be."""
        outcomes, nonces = {}, {}
        for tested, outcome, nonce, version in self.seen:
            outcomes.setdefault(tested, set()).add(outcome)
            if outcome == "noted":
                nonces.setdefault(tested, set()).add((nonce, version))
        if not outcomes or any(each != {"no candidate", "noted", "full"} for each in outcomes.values()):
            raise Refuted("no pass tests a nonce")
        for tested, noted in nonces.items():
            (nonce, version), *others = noted
            word = header.top_word(terms.bswap(nonce), header.midstate_of(version) if self.rolled else tuple(header.MIDSTATE))
            if others or tested != terms.and_(word, MASK) or self.compared[tested] != {terms.bswap(word)}:
                raise Refuted(WRONG_WORD)
            if self.rolled and not self._goes_on(nonce, version):
                raise Refuted("nonces or versions do not go on by those of a pass")
            if self.distances[tested] != {terms.sub(nonce, FIRST)}:
                raise Refuted("another nonce is compared with the range")
        if self.rolled:
            self._check_neighbours([pair for noted in nonces.values() for pair in noted])
        else:
            self._check_steps([nonce for noted in nonces.values() for nonce, _ in noted])

    def _check_neighbours(self, noted):
        """With several versions: the nonces that are hashed side by side are all there."""
        groups = {}
        for nonce, version in noted:
            constant, factors = terms.summands(nonce)
            groups.setdefault((frozenset(factors.items()), version), set()).add(constant)
        for constants in groups.values():
            if any(at - at % self.streams + i not in constants for at in constants for i in range(self.streams)):
                raise Refuted("a pass does not test nonces that follow one another")

    def _goes_on(self, nonce, version):
        """Whether both are those of a pass, or what the pass before it has handed on."""
        nonce_start, of_nonce = terms.summands(nonce)
        _, of_version = terms.summands(version)
        kinds = {terms.node(part)[:2] for part in (*of_nonce, *of_version) if part != FIRST}
        if kinds == {("atom", "carried")}:
            if (len(of_nonce), of_version) != (1, {version: 1}) or nonce_start not in range(self.streams):
                return False
            self._check_handed_on(*of_nonce, version)
            return True
        steps = sorted(factor for part, factor in of_nonce.items() if part != FIRST)
        return of_nonce.get(FIRST) == 1 and kinds <= {("atom", "low")} and set(of_version.values()) <= {1} and steps in (
            [], [self.streams], [self.block], [self.streams, self.block])

    def _check_steps(self, nonces):
        """With one header: nonces go on by the number of streams."""
        found = []
        for nonce in nonces:
            constant, factors = terms.summands(terms.sub(nonce, FIRST))
            kinds = [(terms.node(part)[:3], factor) for part, factor in factors.items()]
            if kinds != [(("atom", "low", "index"), self.streams)]:
                raise Refuted("nonces do not go on by the number of streams")
            found.append(constant)
        if sorted(found) != list(range(self.streams)):
            raise Refuted("a pass does not test nonces that follow one another")


def prove_streams(program, form, tables, rolled):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = machine_for(Streams, program, form, tables, rolled)
    run_function(machine, form.entry, ([ARGUMENTS],), machine.block, one_version(not rolled))
    machine.check()
    return machine.executed
