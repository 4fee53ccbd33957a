"""Symbolic execution along all paths, with every loop reduced to one pass that stands for each.

A loop is entered with some state. One pass shows which values it changes by a fixed step; those become "value at entry +
step · number of passes", other changed ones become unknown. From that state another pass is executed, and has to lead to
the same state with one more pass: so by induction it is the state before any pass, however many there are. How many there
are is not looked at. What each pass writes into an array is known after the loop, for each pass.

The first of these executions needs to know additions only, and is told so ("shallow"): the other results are unknown.
A short loop whose number of passes follows from constants is simply executed.
"""
import exchanged
import wide
from handed_on import formulas, insert_known_number, kept, renewed
from memory import NeverWritten
from program import Unreadable
from relations import relations
from state import add_unknown_vectors, forget, get, number_at, places, put
from steps import before_any_pass, differences, suggested

_MOST_PASSES = 64  # of a loop that is simply executed


class _Body:
    def __init__(self, head, nodes, depth):
        self.head, self.nodes, self.depth = head, nodes, depth


class Engine:
    """`machine` has successors(address), step(address, state, deep) -> [(address, state)], end_of_passes(start, again, left),
    which looks at the states before and after a pass, `seen`, a list of what that has found, and `loops`, an empty dictionary;
    by_itself(state), whether the first pass of a loop is executed by itself, and passes_by_themselves(again, left, following) for
    it; `merges_first`: whether the states after it become one; head(head, body): where a pass of a loop is taken to begin;
    `fewest_words`: see relations(). It gets `active` and `begun`. A loop of SHORT addresses and less is simply executed where its
    number of passes is known.
    """

    def __init__(self, machine):
        self.machine = machine
        machine.active, machine.begun = [], set()  # names of loops' numbers of passes: around a pass, and after one by itself
        self.follows = False  # whether what passes hand on to one another is followed: set where a first one is by itself
        self.unknowns = {}  # what a loop changes in another way than by steps: (value at entry, {values after a pass})
        self._passes = 0  # the number of the latest loop: the name of its number of passes
        self._heads = {}  # of loops, by number
        self._steps = {}  # of loops that have been executed

    def loops(self, entry):
        """{head: addresses of the body} of a function, by depth-first search."""
        if entry not in self.machine.loops:
            self.machine.loops[entry] = {self.machine.head(head, body): body for head, body in self._find_loops(entry).items()}
        return self.machine.loops[entry]

    def found_loops(self):
        return self._passes > 0

    def _find_loops(self, entry):
        before, colour, tails = {}, {entry: "open"}, {}
        stack = [(entry, iter(self.machine.successors(entry)))]
        while stack:
            here, successors = stack[-1]
            for there in successors:
                before.setdefault(there, set()).add(here)
                if there not in colour:
                    colour[there] = "open"
                    stack.append((there, iter(self.machine.successors(there))))
                    break
                if colour[there] == "open":
                    tails.setdefault(there, set()).add(here)
            else:
                colour[here] = "done"
                stack.pop()
        bodies = {}
        for head, ends in tails.items():
            body, pending = {head}, list(ends)
            while pending:
                here = pending.pop()
                if here not in body:
                    body.add(here)
                    pending += before[here]
            if entry in body and entry != head:
                raise Unreadable("a loop that is entered at two places")
            bodies[head] = body
        return bodies

    def run(self, address, state, deep=True, body=None):
        """[(address, state)] where paths end: at the end, or for a body of a loop at its head or outside of it."""
        ends, pending = [], [(address, state, True)]
        while pending:
            address, state, entered = pending.pop()
            try:
                while True:
                    depth = len(state.frames)
                    if depth == 0:
                        ends.append((None, state))
                        break
                    if body and not entered and (depth < body.depth or depth == body.depth and (
                            address == body.head or address not in body.nodes)):
                        ends.append((address, state))
                        break
                    if address in self.loops(state.frames[-1]) and not (body and entered):
                        pending += [(*end, False) for end in self._loop(address, state, deep)]
                        break
                    entered = False
                    (address, state), *others = self.machine.step(address, state, deep)
                    pending += [(*other, False) for other in others]
            except NeverWritten:
                if deep:
                    raise
        return ends

    def _executed(self, state, deep, body):
        """(address, state) after a loop with a known number of passes; None if that is not known."""
        for deeply in (False, True) if deep else (False,):
            now = state.copy()
            for _ in range(_MOST_PASSES):
                ends = self.run(body.head, now.copy(), deeply, body)
                if len(ends) != 1:
                    return None
                (address, now), = ends
                if address != body.head or len(now.frames) != body.depth:
                    break
            else:
                return None
        return address, now

    def _loop(self, head, state, deep):
        body = _Body(head, self.loops(state.frames[-1])[head], len(state.frames))
        if len(body.nodes) <= self.machine.SHORT and (head, tuple(state.frames)) not in self._steps:
            executed = self._executed(state, deep, body)
            if executed:
                return [executed]
        following, early = self._after_first_passes(state, deep, body)
        if following is None:
            return early
        index = self._passes + 1
        (self.machine.begun.discard if following is state else self.machine.begun.add)(index)
        self.machine.active.append(index)
        try:
            return early + self._by_induction(following, deep, body, index)
        finally:
            self.machine.active.pop()

    def _by_induction(self, state, deep, body, index):
        """[(address, state)] after a loop, from the states before and after any pass, whose number has the name `index`."""
        def passes(start, deeply):
            ends = self.run(head, start.copy(), deeply, body)
            again = [end for address, end in ends if address == head and len(end.frames) == body.depth]
            left = [end for end in ends if end[1] not in again]
            return [exchanged.renamed(end, exchanges) for end in again], left

        head = body.head
        where = (head, tuple(state.frames))
        guess = self._steps.get(where) and renewed(self._steps[where], index)  # or else a pass has to show them
        seen, exchanges = len(self.machine.seen), []  # exchanges: pointers that every pass exchanges
        changed_elsewhere = set()  # arrays of which a pass changes other elements than its own
        for _ in range(12):
            del self.machine.seen[seen:]
            self._passes, self._heads[index] = index, head
            if guess is None:
                again, _ = passes(state, False)
                exchanges = exchanged.found(state, again, index) if self.follows else []
                if exchanges:
                    state = exchanged.apart(state, exchanges, again)
                    again, _ = passes(state, False)
                guess = suggested(state, again)
                guess |= kept(state, state, again, guess) if self.follows else self.machine.formulas(state, guess, index)
                self._steps[where] = None
            start, steps, elements = before_any_pass(state, guess, index, changed_elsewhere)
            start.looped -= body.nodes
            again, left = passes(start, deep)
            lost = {key for end in again + [end for _, end in left] for key in end.memory.lost}
            if lost & elements.keys():
                changed_elsewhere |= {elements[key] for key in lost & elements.keys()}
                continue
            unexpected = {place for end in again for place in differences(start, end, steps, index)}
            if not unexpected:
                found = kept(state, start, again, steps) if self.follows else {}
                if deep and self.follows:
                    found |= formulas(state, again, steps, index) or relations(state, start, again, steps, index,
                                                                               self.machine.fewest_words)
                if not found:
                    break
                guess = steps | found
                continue
            guess = None if self._steps.get(where) else guess | {place: None for place in unexpected}
        else:
            raise Unreadable(f"the loop at {head:x} has no invariant")
        self._steps[where] = {place: step for place, step in steps.items() if step != 0}
        if deep:
            for end in again + [end for _, end in left]:
                end.memory.check()
                self._check_given(start, end)
            self.machine.end_of_passes(start, again, [end for _, end in left])
            self.unknowns |= {get(start, place): (get(state, place), {get(end, place) for end in again})
                              for place, step in steps.items() if step is None and place[0] == "register" and get(start, place)}
        for end in again + [end for _, end in left]:
            end.looped.add(head)
            end.memory.lost |= lost
        self._keep_arrays(start, again, left, index)
        for _, end in left if deep and self.follows else ():
            insert_known_number(end, index)
        return self._merged(left)

    def _after_first_passes(self, state, deep, body):
        """The state after passes that the machine wants to be executed by themselves (None: no other follows), and
        [(address, state)] where those have left the loop.
        """
        def another_pass(states):
            ends = [end for each in states for end in self.run(body.head, each.copy(), True, body)]
            left = [each for each in ends if each[0] != body.head or len(each[1].frames) != body.depth]
            return [each[1] for each in ends if each not in left], left

        states, early = [state], []
        while deep and self.machine.by_itself(states[0]):
            self.follows = True
            again, left = another_pass(states)
            if not self.machine.passes_by_themselves(again, [end for _, end in left], lambda ends=again: another_pass(ends)[0]):
                return state, []
            early += left
            states = self._different([(body.head, end) for end in again])
            if not states:
                return None, self._merged(early)
        if states == [state]:
            return state, []
        (_, merged), = self._merged([(body.head, each.copy()) for each in states])
        add_unknown_vectors(merged, states)
        merged.entered = states
        return merged, self._merged(early)

    def _different(self, ends):
        """The states of paths that have come to one place, those that are alike as one; or all as one (see merges_first)."""
        groups = {}
        for address, end in ends:
            what = None if self.machine.merges_first else frozenset((place, get(end, place)) for place in places(end))
            groups.setdefault(what, []).append((address, end))
        return [state for group in groups.values() for _, state in self._merged(group)]

    @staticmethod
    def _check_given(start, end):
        """Raises where a pass writes what the caller has given, and the next one would seem to read it as it was."""
        for base, cells in end.memory.cells.items():
            for at in cells.keys() - start.memory.cells.get(base, {}).keys():
                if end.memory.inputs(wide.Wide(at & wide.MASK, base), cells[at][0]) is not None:
                    raise Unreadable("a loop changes what the caller has given")

    def _lacks(self, end, place):
        """Whether a path has not written an element of an array, although it has been through the loops that do."""
        return get(end, place) is None and all(self._heads[name] in end.looped for _, name in place[1][1]
                                                if name in self._heads)

    def _keep_arrays(self, start, again, left, index):
        """In the states after a loop, leaves of its arrays what every pass has written, and adds that where the last one left
        early. (A path past a loop that fills an array has made no pass of it: one that reads the array makes none either.)
        """
        def of_this_loop(place):
            return place[0] == "array" and index in [name for _, name in place[1][1]]

        filled = {place for end in again for place in places(end) if of_this_loop(place)}
        written = {place: {get(end, place) for end in again if get(end, place) is not None or self._lacks(end, place)}
                   for place in filled}
        for _, end in left:
            early = end.memory.arrays == start.memory.arrays
            for place in [place for place in places(end) if of_this_loop(place)]:
                if written.get(place) != {get(end, place)}:
                    put(end, place, None)
            for place, values in written.items():
                if len(values) == 1 and None not in values and get(end, place) is None and (
                        early or not self._lacks(end, place)):
                    put(end, place, *values)

    def _forget(self, merged, place, new, alike):
        """Of two places that are alike in both of two paths, that is known afterwards: `alike` has them by both paths' values."""
        numbers = number_at(merged, place), new if place[0] == "register" or new is None else new[1]
        forget(merged, place, new if self.follows else None)
        if self.follows and all(isinstance(each, wide.Wide) for each in numbers):
            known = alike.setdefault(numbers, number_at(merged, place))
            put(merged, place, known if place[0] == "register" else (8, known))

    def _merged(self, ends):
        """Paths that leave a loop for the same address, as one: it knows what they agree about."""
        by_address = {}
        for address, end in ends:
            key = (address, len(end.frames))
            if key not in by_address:
                by_address[key] = end
                continue
            merged, alike = by_address[key], {}
            merged.flags = merged.flags if merged.flags == end.flags else None
            merged.decisions = {c: truth for c, truth in merged.decisions.items() if end.decisions.get(c) == truth}
            for place in {*places(merged), *(each for each in places(end) if each[0] == "array")}:
                old, new = get(merged, place), get(end, place)
                if old is None and not self._lacks(merged, place):
                    put(merged, place, new)
                elif old != new and (place[0] != "array" or new is not None or self._lacks(end, place)):
                    self._forget(merged, place, new, alike)
            merged.looped &= end.looped
        return [(address, end) for (address, _), end in by_address.items()]
