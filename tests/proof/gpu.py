"""Proofs of the search in a CUDA kernel's PTX and a Vulkan shader's SPIR-V: what a thread tests, and what it reports."""
import header
import ptx
import spirv
import terms
import walks
import wide
from engine import Engine
from program import Refuted, Unreadable
from scan import FIRST, MASK, TARGET, WRONG_WORD, counted

COUNT = terms.atom("count")
FIRST_VERSION = terms.atom("first version")

_VERSIONS = terms.atom("versions")
_ONE = terms.const(1)  # assumed of the launch words' members `one` and `other_one`
# LaunchWords (host/gpu/launch_words.hpp) and what follows them (cuda/launch.hpp), by offset.
_WORDS = {4 * n: terms.const(1 << (32 - n)) for n in range(1, 32)} | {
    128: FIRST, 132: COUNT, 136: MASK, 140: TARGET, 144: _VERSIONS, 148: _ONE, 152: _ONE}
_JOB = 160
_CAPACITY = terms.atom("capacity")
_SEARCHED = "this thread has searched"  # kept among a path's decisions


def _padded(words):
    return (words + 3) // 4 * 4


def _register(name):
    return terms.atom("register", name)


class Kernel(ptx.Machine):
    """The address of its launch words is its first parameter, those of the others the next two."""
    thread = terms.add(ptx.multiply(_register("%ctaid.x"), _register("%ntid.x")), _register("%tid.x"))
    first_version = FIRST_VERSION
    items, found = wide.atom("pointer", "items"), wide.atom("pointer", "found")

    def __init__(self, module, tables, rolled):
        super().__init__(module)
        self.tables, self.rolled = tables, rolled
        self.versions = _JOB + 4 * _padded(len(tables["job"]))
        self.stride = 4 * _padded(len(tables["version"]))

    def inputs(self, address, size):
        names = [name for monomial, _ in address.parts for kind, name in monomial if kind == "pointer"]
        if len(names) != 1 or not names[0].startswith(self.name + "_param_"):
            return None
        number = int(names[0].removeprefix(self.name + "_param_"))
        if number:
            if address.constant or size != (4 if number == 3 else 8):
                return None
            return _CAPACITY if number == 3 else wide.atom("pointer", ("", "items", "found")[number])
        if size != 4 or address.constant % 4:
            return None
        offset, passes = address.constant, [part for part in address.parts if part[0][0][0] != "pointer"]
        if not passes and offset in _WORDS:
            return _WORDS[offset]
        if not passes and self.rolled and offset == 156:
            return FIRST_VERSION
        if not passes and _JOB <= offset < self.versions:
            return self.tables["job"][(offset - _JOB) // 4]
        if offset < self.versions:
            raise Unreadable("a load from no word of a launch")
        return self._version_word(offset - self.versions, passes)

    def _version_word(self, offset, passes):
        index = [terms.const(offset // self.stride)]
        for monomial, factor in passes:
            if factor % self.stride or len(monomial) != 1 or monomial[0][0] != "index":
                raise Unreadable("a load from the version words that is none for each pass")
            index.append(terms.scale(wide.low_of_index(monomial[0][1]), factor // self.stride))
        return header.word_of_version(self.tables["version"][offset % self.stride // 4], terms.add(self.first_version, *index))

    def decided(self, state, asked, truth):
        if asked[0] == "equal" and ptx.ZERO in asked[1:]:
            tested = next(each for each in asked[1:] if each != ptx.ZERO)
            if ("sieve mask",) in walks.atoms_of(tested):
                state.tests.append(("mask", tested, truth))
        elif asked[0] == "at most" and asked[2] == TARGET:
            state.tests.append(("target", asked[1], truth))

    def end_of_passes(self, start, again, left):
        if len({bool(end.tests) for end in again}) > 1:
            raise Refuted("a pass does not test its version")
        for end in again + left:
            self._end_of_pass(end)

    def _end_of_pass(self, state):
        tests = {kind: (term, truth) for kind, term, truth in state.tests}
        if not tests and not state.calls:
            return
        if "mask" not in tests or len(tests) != len(state.tests):
            raise Refuted("a pass does not test one word")
        tested, zero = tests["mask"]
        passes = zero and tests.get("target", (None, None))[1]
        if zero and passes is None:
            raise Refuted("the target's top word is not compared")
        calls = [call for call in state.calls if call[0] != "looked at"]
        self.seen.append((tested, (zero, passes, tuple(call[0] for call in calls))))
        if not passes and calls:
            raise Refuted("what is no candidate is reported")
        if not calls and passes and not self._has_been_full(state):
            raise Refuted("a candidate is not reported")
        if calls:
            self._check_calls(state, tests, *calls)
        state.tests, state.calls = [], []
        state.decisions[_SEARCHED] = True

    @staticmethod
    def _has_been_full(state):
        """Whether a path has seen in this pass that more candidates have been counted than there are places."""
        return any(state.decisions.get(("at most", count, _CAPACITY)) is False for kind, *_, count in state.calls if kind == "looked at")

    def _check_calls(self, state, tests, counted_at, *stores):
        kind, found, place, *one = counted_at
        if kind != "counted" or found != self.found or one != [_ONE]:
            raise Refuted("a candidate is not counted")
        full = state.decisions.get(("at most", _CAPACITY, place))
        if full is None or full and stores:
            raise Refuted("a candidate is stored where there may be no place")
        if not full:
            self._check_report(tests, place, stores)

    def shared_count(self, state, address):
        """The number of candidates, which other threads change as well."""
        if address != self.found:
            raise Refuted("another word than the number of candidates is looked at")
        return super().shared_count(state, address)

    def _check_report(self, tests, place, stores):
        items = wide.wide(wide.add(self.items, wide.scale(place, 8)))
        values = {address: value for _, address, value in stores}
        version, nonce = values.get(items), values.get(items._replace(constant=items.constant + 4))
        if len(stores) != 2 or None in (version, nonce):
            raise Refuted("a candidate is not stored where it is counted")
        if nonce != terms.add(FIRST, self.thread):
            raise Refuted("the nonce is not the first one plus the thread's number")
        midstate = header.midstate_of(version) if self.rolled else tuple(header.MIDSTATE)
        word = header.top_word(terms.bswap(nonce), midstate)
        if tests["mask"][0] != terms.and_(word, MASK) or tests["target"][0] != terms.bswap(word):
            raise Refuted(WRONG_WORD)
        if not self.rolled and terms.value(version) != 0:
            raise Refuted("a candidate is reported for another version")
        if self.rolled and counted(terms.sub(version, self.first_version)) != [1]:
            raise Refuted("versions do not go on by one")

    def check(self, ends):
        needed = {(False, False, ()), (True, False, ()), (True, True, ("counted", "store", "store"))}
        outcomes = {}
        for tested, outcome in self.seen:
            outcomes.setdefault(tested, set()).add(outcome)
        if not outcomes or any(not needed <= each for each in outcomes.values()):
            raise Refuted("no thread tests a nonce")
        for end in ends:
            if end.decisions.get(("at most", COUNT, self.thread)) in (None, _SEARCHED in end.decisions):
                raise Refuted("which threads search is not those of the range")


class Shader(spirv.Machine, Kernel):
    """Its launch words are in one buffer, and what it finds in another one."""
    thread = terms.add(ptx.multiply(terms.add(ptx.multiply(_register("WorkgroupId.y"), _register("NumWorkgroups.x")),
                                              _register("WorkgroupId.x")), _register(spirv.GROUP)),
                       _register("LocalInvocationId.x"))
    first_version = ptx.ZERO
    found = wide.atom("pointer", "results")
    items = wide.add(found, wide.const(8))

    def __init__(self, module, tables, rolled):
        super().__init__(module, tables, rolled)
        self.versions = 272  # LaunchBlock in vulkan/launch.hpp

    def inputs(self, address, size):
        names = [name for monomial, _ in address.parts for kind, name in monomial if kind == "pointer"]
        if len(address.parts) == 1 and names[0] in ("WorkgroupId", "NumWorkgroups", "LocalInvocationId"):
            return _register(f"{names[0]}.{'xyz'[address.constant // 4]}")
        return super().inputs(address, size)

    def end_of_passes(self, start, again, left):
        """A loop that asks first whether there is another version has made a pass, as there is one."""
        super().end_of_passes(start, again, left)
        for end in left if again and all(_SEARCHED in each.decisions for each in again) else ():
            if any(truth and asked[:2] == ("at most", _VERSIONS) and counted(asked[2]) == [1] for asked, truth in end.decisions.items()):
                end.decisions[_SEARCHED] = True


def prove_kernel(module, tables, rolled):
    """The places of the instructions proved, or raises Refuted or Unreadable. `module`: from ptx.parse() or spirv.parse()."""
    machine = (Shader if isinstance(module, spirv.Module) else Kernel)(module, tables, rolled)
    engine = Engine(machine)
    ends = [end for _, end in engine.run(0, machine.start(machine.inputs, 1))]
    machine.end_of_passes(None, [], ends)
    machine.check(ends)
    return machine.executed
