"""Proofs of the woven search in machine code: rounds by SHA instructions, schedules by vector code (cpu/scan/scan_woven.hpp).

A unit of eight nonces goes through several passes of one loop, each of which does a part of the work on four units. The first
passes, which have no unit to test, are executed by themselves. With several versions what is on its way is an item, a unit with
a version: whichever three items a pass begins with, that it has taken over those of the pass before it is what is looked at.
"""
import contextlib

import fips180
import scan
import terms
import vectors
import wide
from architectures import machine as machine_for
from conditions import condition
from function import run_function
from memory import NeverWritten
from program import Refuted, Unreadable
from state import number_at, places
from streams import word_of_job

_UNIT = 8
_PASSES = "passes that have been executed by themselves"  # kept among a path's decisions
_UNKNOWN = ("an unknown vector", None, None)  # among what has been seen in a pass
_VERSIONS = scan.FIELDS[0x28]
_START = terms.and_(scan.FIRST, terms.const(-_UNIT))
_INITIAL = terms.const(fips180.INITIAL_STATE[7])  # it has not been added to the word that is kept
_ITEM, _WORDS = (wide.atom("pointer", name) for name in ("item", "words"))


class Woven(scan.Scan):
    merges_first = False
    forks_at_moves = True

    def __init__(self, program, form, tables, rolled):
        super().__init__(program, _UNIT, form.notes, tables, rolled)
        self.behind = 2 if rolled else 3  # passes from the first part of the work to the last
        self.loops = {}  # not as other proofs see them: head()

    def head(self, head, body):
        """With several versions a pass begins where it has the first schedule, which is made before for the first version."""
        if not self.rolled:
            return head
        here, joins = head, self._joins(body)
        while here == head or here not in joins:
            here = self.program.instruction(here).next
        return here

    def _joins(self, body):
        targets = [each for here in body for each in self.successors(here)]
        return {each for each in body if targets.count(each) > 1}

    def _input(self, address):
        word = word_of_job(address, self.rolled) if address.parts else None
        return super()._input(address) if word is None else word

    def load_vector(self, state, address, size):
        try:
            return super().load_vector(state, address, size)
        except NeverWritten:
            return self.unknown_vector()[:size // 4]

    def unknown_vector(self):
        """Until it is known what passes hand on, what they compute is not looked at."""
        self.seen.append(_UNKNOWN)
        return tuple((wide.low(wide.fresh("unknown")), None) for _ in range(16))

    def uniform(self, value, count):
        try:
            return super().uniform(value, count)
        except Unreadable:
            if _UNKNOWN not in self.seen:
                raise
            return wide.low(wide.fresh("unknown"))

    def by_itself(self, state):
        return state.decisions.get(_PASSES, 0) < self.behind

    def passes_by_themselves(self, again, left, following):
        for end in again + left:
            if end.calls:
                raise Refuted("something is noted before the first nonces are hashed")
            end.tests = []
            end.decisions[_PASSES] = end.decisions.get(_PASSES, 0) + 1
        return True

    def arguments(self, state):
        """What note_lanes() finds: its arguments are an item, and words to which something has to be added."""
        call = super().arguments(state)
        with contextlib.suppress(NeverWritten, TypeError):  # if that is not known
            item, words = map(wide.wide, call.numbers[1:3])
            base, version = (self.load(state, wide.wide(wide.add(item, terms.const(at))), 4) for at in (0, 4))
            top = self.uniform(self.load_vector(state, words, 4 * _UNIT), _UNIT)
            call = call._replace(numbers=(call.numbers[0], version, base, *call.numbers[3:]), words=[terms.add(top, _INITIAL)])
        return call

    def end_of_passes(self, start, again, left):
        if _UNKNOWN in self.seen:
            for end in again + left:
                end.tests, end.calls = [], []
            return
        super().end_of_passes(start, again, left)
        if self.rolled and start:
            self._check_items(start, again)

    def _check_items(self, start, again):
        """Each pass tests the item that the next one would have tested, and the last of the three is followed by a new one."""
        where = {number_at(start, place): place for place in places(start)}
        tested, *others = {note for *_, note in self.seen if note}
        if others or not all(word in where for word in tested):
            raise Refuted("what is tested is no item that passes hand on")

        def later(end, item):
            return tuple(number_at(end, where[word]) for word in item)

        second = later(again[0], tested)
        third = later(again[0], second) if all(word in where for word in second) else ()
        if not third or not all(word in where for word in third):
            raise Refuted("passes do not hand on items")
        for end in again:
            if (later(end, tested), later(end, second)) != (second, third) or not _follows(third, later(end, third), end):
                raise Refuted("a pass does not hand on the items that it has got")
        for state in start.entered:
            first, *following = (later(state, item) for item in (tested, second, third))
            if first != (_START, vectors.ZERO) or not _follows(first, following[0], state) or not _follows(*following, state):
                raise Refuted("the first items are not those at the beginning of the range")

    def check(self):
        if _UNKNOWN in self.seen:
            raise Unreadable("what a pass hands on to the next one")
        if not self.rolled:
            super().check(1, 1)
        elif {(tested, zero) for tested, zero, _ in self.seen} != {
                (tested, zero) for tested, _, _ in self.seen[:1] for zero in (True, False)}:
            raise Refuted("no pass tests a unit")


def _follows(item, other, state):
    """Whether one item is the next one after another: the next version, or the next unit after the last one."""
    base, version = item
    version = terms.add(version, terms.const(1))
    asked, _ = condition("e", ("compare", version, _VERSIONS))
    if state.decisions.get(asked) is None:
        return False
    return other == ((terms.add(base, terms.const(_UNIT)), vectors.ZERO) if state.decisions[asked] else (base, version))


class _Note(scan.Note):
    """note_lanes(arguments, item, words, lanes)."""

    def inputs(self, address, size):
        if address.parts == _ITEM.parts and size == 4:
            return {0: terms.atom("base"), 4: terms.atom("version")}.get(address.constant)
        if address == _WORDS:
            return terms.atom("h7", 0) if size == 4 * _UNIT else None
        return super().inputs(address, size)

    def word(self, lane):
        return terms.add(super().word(lane), _INITIAL)


def prove_note(program, entry):
    machine = machine_for(_Note, program, _UNIT)
    machine.check(*run_function(machine, entry, ([scan.ARGUMENTS, _ITEM, _WORDS, scan.LANES],), 1))
    return machine.executed


def prove_woven(program, form, tables, rolled):
    """The addresses of the instructions proved, or raises Refuted or Unreadable; `form`: see forms.py."""
    machine = machine_for(Woven, program, form, tables, rolled)
    run_function(machine, form.entry, ([scan.ARGUMENTS],), 1, scan.one_version(not rolled))
    machine.check()
    return machine.executed
