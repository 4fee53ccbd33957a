"""Proofs of the search with SHA instructions in machine code, for one header: each nonce is tested and noted by itself.

A pass makes the first hashes of some nonces and the second hashes of those of the pass before it, so that the first pass,
which is looked at by itself, must not note anything.
"""
import header
import terms
import vectors
import wide
from engine import Refuted
from program import Unreadable
from scan import ARGUMENTS, CAPACITY, COUNT, FIELDS, FIRST, FOUND, MASK, TARGET, WRONG_WORD, Scan, one_version, run_function

_CANDIDATES = wide.atom("pointer", "candidates")


class Streams(Scan):
    by_itself = 1  # passes, before those that an induction is about

    def __init__(self, program, form, tables):
        super().__init__(program, 1, (), tables, False)
        self.streams = form.streams

    def start(self, entry, inputs, passes):
        state = super().start(entry, inputs, passes)
        state.memory.store(wide.add(ARGUMENTS, terms.const(FOUND)), 8, FIELDS[FOUND])  # what it is later is not the caller's
        return state

    def _input(self, address):
        if len(address.parts) == 1 and address.parts[0][0][0] == ("pointer", "tail"):
            return header.TAIL[address.constant // 4]
        if len(address.parts) == 1 and address.parts[0][0][0] == ("pointer", "midstates"):
            return header.MIDSTATE[address.constant // 4]
        return super()._input(address)

    def decided(self, state, condition, truth):
        kind, x, y = condition if len(condition) == 3 else (*condition, None)
        if kind == "equal" and vectors.ZERO in (x, y):
            tested = y if x == vectors.ZERO else x
            if isinstance(tested, int) and ("sieve mask",) in terms.atoms_of(tested):
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
            if address == wide.add(ARGUMENTS, terms.const(FOUND)):
                before = state.memory.load(address, 8)[1]
                state.calls.append(("found", before, operand.size == 8 and wide.difference(value, before) == terms.const(1)))
        super().write(state, operand, value)

    def passes_by_themselves(self, ends):
        for end in ends:
            if any(kind in ("candidate", "found") for kind, *_ in end.calls):
                raise Refuted("something is noted before the first nonces are hashed")
            end.calls = []

    def end_of_passes(self, start, again, left):
        if len({bool(end.calls) for end in again}) > 1:
            raise Refuted("a pass does not test its nonces")
        for end in again + left:
            self._end_of_pass(end.calls)
            end.calls = []

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
            self.seen.append((tested, "no candidate", None))
            return
        place, outside = made.get("outside", (None, None))
        word, passes = made.get("passes", (None, None))
        if len(made) + len(stores) != len(calls) or ("found" in made) != (outside is False and passes is True):
            raise Refuted("what is counted is not what lies in the range and passes the target's top word")
        if "found" not in made:
            if stores or not (outside or passes is False):
                raise Refuted("a candidate is not noted")
            return
        if not isinstance(place, int):
            raise Unreadable("a comparison with the range in another way than by a nonce's distance from the first")
        nonce = terms.add(place, FIRST)
        expected = header.top_word(terms.bswap(nonce))
        if tested != terms.and_(expected, MASK) or word != terms.bswap(expected):
            raise Refuted(WRONG_WORD)
        self.seen.append((tested, self._check_note(made, stores, nonce), nonce))

    @staticmethod
    def _check_note(made, stores, nonce):
        before, one_more = made["found"]
        looked_at, full = made.get("full", (None, None))
        if not one_more or looked_at != before:
            raise Refuted("candidates are not counted one by one, or whether there is a place is not looked at")
        place = wide.wide(wide.add(_CANDIDATES, wide.scale(before, 8)))
        expected = [] if full else [[(place, 4), vectors.ZERO], [(place._replace(constant=place.constant + 4), 4), nonce]]
        if sorted(stores) != sorted(expected):
            raise Refuted("a candidate is not stored as its version and its nonce")
        return "full" if full else "noted"

    def check(self):
        """After the run: each word that is tested is noted where it has to be, and nonces go on by the number of streams."""
        outcomes, nonces = {}, {}
        for tested, outcome, nonce in self.seen:
            outcomes.setdefault(tested, set()).add(outcome)
            if nonce is not None:
                nonces.setdefault(tested, set()).add(nonce)
        if not outcomes or any(each != {"no candidate", "noted", "full"} for each in outcomes.values()):
            raise Refuted("no pass tests a nonce")
        found = []
        for nonce in set().union(*nonces.values()):
            constant, factors = terms.summands(terms.sub(nonce, FIRST))
            kinds = [(terms.node(part)[:3], factor) for part, factor in factors.items()]
            if kinds != [(("atom", "low", "index"), self.streams)]:
                raise Refuted("nonces do not go on by the number of streams")
            found.append(constant)
        if sorted(found) != list(range(self.streams)) or len(outcomes) != self.streams:
            raise Refuted("a pass does not test nonces that follow one another")


def prove_streams(program, form, tables):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = Streams(program, form, tables)
    run_function(machine, form.entry, {"rdi": ARGUMENTS}, 1, one_version(True))
    machine.check()
    return machine.executed
