"""PTX instructions on terms: one thread of a kernel, as the compiler has written it."""
import functools
import re
from typing import NamedTuple

import terms
import wide
from conditions import branch, condition
from memory import Memory
from program import Unreadable
from state import State

ZERO = terms.const(0)
_REVERSED = 0x0123  # prmt's selection of bytes that reverses them
_RELATIONS = {"le": "be", "lt": "b", "ge": "ae", "gt": "a", "eq": "e", "ne": "ne"}


class Instruction(NamedTuple):
    guard: str  # "%p1", "!%p1" or ""
    verb: str
    operands: tuple


def parse(text):
    """(name, [instruction], {label: place}) of a module with one kernel."""
    entry = re.search(r"\.entry (\w+)\((.*?)\)(.*)", text, re.S)
    if not entry or text.count(".entry") != 1:
        raise Unreadable("a module without a kernel, or with several")
    instructions, labels = [], {}
    for line in re.sub(r"//.*", "", entry[3]).replace("{\n", "\n", 1).splitlines():
        line = line.strip()
        label = re.fullmatch(r"(\$?\w+):", line)
        if label:
            labels[label[1]] = len(instructions)
        elif line not in ("", "{", "}") and not line.startswith("."):
            match = re.fullmatch(r"(?:@(!?%p\d+)\s+)?([\w.]+)(?:\s+(.*))?;", line)
            if not match:
                raise Unreadable(f"the line '{line}'")
            operands = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^\s,]+", match[3] or "")
            instructions.append(Instruction(match[1] or "", match[2], tuple(operands)))
    return entry[1], instructions, labels


def _rotated(x, y, number):
    """shf.l.wrap: the upper word of y:x shifted to the left."""
    return terms.rotr(x, 32 - number) if x == y else terms.or_(terms.shl(y, number), terms.shr(x, 32 - number))


@functools.cache
def add_disjoint(x, y):
    """x + y, which is x | y if they have no possible bit in common: so the two halves of a rotation become one."""
    return terms.add(x, y) if terms.possible(x) & terms.possible(y) else terms.xor(x, y)


def multiply(x, y):
    """The lower half of a product. One with a power of two is a shift, so that rotations are seen in sums of halves."""
    for factor, other in ((terms.value(x), y), (terms.value(y), x)):
        if factor is not None:
            power = factor.bit_length() - 1
            return terms.shl(other, power) if power > 0 and factor == 1 << power else terms.scale(other, factor)
    return terms.atom("product", *sorted((x, y)))


def multiply_high(x, y):
    for factor, other in ((terms.value(x), y), (terms.value(y), x)):
        if factor is not None and factor & (factor - 1) == 0 and factor > 1:
            return terms.shr(other, 33 - factor.bit_length())
    raise Unreadable("the upper half of a product with something else than a power of two")


def _permute(x, y, selection):
    if terms.value(selection) != _REVERSED:
        raise Unreadable("prmt with another selection than that of a swap of bytes")
    return terms.bswap(x)


_COMPUTED = {
    "mov.u32": lambda x: x, "mov.b32": lambda x: x,
    "add.s32": add_disjoint, "add.u32": add_disjoint, "sub.s32": terms.sub, "sub.u32": terms.sub,
    "and.b32": terms.and_, "or.b32": terms.or_, "xor.b32": terms.xor, "not.b32": terms.not_,
    "shr.u32": lambda x, n: terms.shr(x, terms.value(n)), "shl.b32": lambda x, n: terms.shl(x, terms.value(n)),
    "shf.l.wrap.b32": lambda x, y, n: _rotated(x, y, terms.value(n) % 32),
    "shf.r.wrap.b32": lambda x, y, n: _rotated(x, y, 32 - terms.value(n) % 32),
    "lop3.b32": lambda x, y, z, table: terms.combine(terms.value(table), x, y, z),
    "mul.lo.s32": multiply, "mul.lo.u32": multiply, "mul.hi.u32": multiply_high,
    "mad.lo.s32": lambda x, y, z: add_disjoint(multiply(x, y), z),
    "mad.lo.u32": lambda x, y, z: add_disjoint(multiply(x, y), z),
    "prmt.b32": _permute}
_WIDE = {"mov.u64": lambda x: x, "mov.b64": lambda x: x, "cvta.to.global.u64": lambda x: x, "add.s64": wide.add,
         "add.u64": wide.add, "mul.wide.u32": wide.multiply}


class Machine:
    """One thread. Addresses are places in the list of instructions."""
    SHORT = 64
    merges_first, fewest_words = True, 1  # see engine.py

    def __init__(self, module):
        self.name, self.instructions, self.labels = module
        self.executed, self.loops = set(), {}
        self.seen = []  # what end_of_passes() has found

    def start(self, inputs, passes):
        state = State(Memory(inputs, passes))
        state.frames.append(0)
        return state

    def _target(self, instruction):
        return self.labels[instruction.operands[-1]]

    def successors(self, place):
        instruction = self.instructions[place]
        if instruction.verb == "ret" and not instruction.guard:
            return []
        if instruction.verb in ("bra", "bra.uni"):
            following = [place + 1] if instruction.guard else []
            return [self._target(instruction), *following]
        return [place + 1]

    def step(self, place, state, deep):
        instruction = self.instructions[place]
        if deep:
            self.executed.add(place)
        try:
            return self._follow(place, instruction, state, deep)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise Unreadable(f"{self.name}: {instruction} ({error!r})") from error
        except Unreadable as error:
            raise type(error)(f"{self.name}: {instruction}: {error}") from error

    def _follow(self, place, instruction, state, deep):
        if instruction.verb in ("bra", "bra.uni"):
            return self._branch(place, instruction, state)
        if instruction.guard:
            raise Unreadable("a guarded instruction")
        if instruction.verb == "ret":
            state.frames.pop()
            return [(None, state)]
        self._execute(instruction, state, deep)
        return [(place + 1, state)]

    @staticmethod
    def formulas(state, steps, index):
        """{place: Formula} of what changes in no regular way (its step is None) and is known as a function of the number of passes."""
        return {}

    @staticmethod
    def by_itself(_):
        return False

    @staticmethod
    def head(head, _):
        return head

    def end_of_passes(self, start, again, left):
        """To be overridden: looks at what a pass of a loop has tested and done, at its ends in the loop and out of it."""

    def decided(self, state, asked, truth):
        """To be overridden: a path on which a condition holds or not."""

    def _branch(self, place, instruction, state):
        target = self._target(instruction)
        if not instruction.guard:
            return [(target, state)]
        asked, truth = state.registers[instruction.guard.lstrip("!")]
        return branch(self, state, asked, truth != instruction.guard.startswith("!"), target, place + 1)

    def _value(self, state, text):
        if re.fullmatch(r"%[a-z]+\.[xyz]", text):  # the numbers of a thread
            return terms.atom("register", text)
        if text.startswith("%"):
            return state.registers[text]
        if re.fullmatch(r"-?\d+|0x[0-9a-fA-F]+", text):
            return terms.const(int(text, 0))
        return wide.atom("pointer", text)

    def _address(self, state, text):
        match = re.fullmatch(r"\[([%\w$]+)(?:\+(-?\d+))?\]", text)
        return wide.wide(wide.add(self._value(state, match[1]), wide.const(int(match[2] or 0))))

    def _execute(self, instruction, state, deep):
        verb, operands = instruction.verb, instruction.operands
        if verb.startswith("setp."):
            _, relation, kind = verb.split(".")
            x, y = (wide.low(self._value(state, operand)) for operand in operands[1:])
            if kind not in ("u32", "b32") and (kind != "s32" or relation not in ("eq", "ne")):
                raise Unreadable("a comparison with a sign, or of other than words")
            state.registers[operands[0]] = condition(_RELATIONS[relation], ("compare", x, y))
        elif verb in ("ld.volatile.global.u32", "atom.global.add.u32"):
            address = self._address(state, operands[1])
            state.registers[operands[0]] = self.shared_count(state, address)
            if verb.startswith("atom"):
                state.calls.append(("counted", address, state.registers[operands[0]], self._value(state, operands[2])))
        elif re.fullmatch(r"ld\.(param|shared)(\.v[24])?\.[ub](32|64)", verb):
            self._load(verb, operands, state)
        elif re.fullmatch(r"st\.shared(\.v[24])?\.[ub]32", verb):
            self._store(operands, state)
        elif verb in ("st.global.u32", "st.global.b32"):
            state.calls.append(("store", self._address(state, operands[0]), self._value(state, operands[1])))
        elif verb in _WIDE:
            state.registers[operands[0]] = _WIDE[verb](*(self._signed(state, operand) for operand in operands[1:]))
        elif not deep and verb in _COMPUTED and verb not in ("mov.u32", "mov.b32", "add.s32", "add.u32", "sub.s32"):
            state.registers[operands[0]] = wide.low(wide.fresh("unknown"))
        elif verb in _COMPUTED:
            values = [wide.low(self._value(state, operand)) for operand in operands[1:]]
            state.registers[operands[0]] = _COMPUTED[verb](*values)
        else:
            raise Unreadable("an instruction that the reader does not know")

    def _signed(self, state, text):
        return wide.const(int(text, 0)) if re.fullmatch(r"-?\d+", text) else self._value(state, text)

    @staticmethod
    def shared_count(state, address):
        """A number that other threads change as well."""
        count = wide.low(wide.fresh("count"))
        state.calls.append(("looked at", address, count))
        return count

    @staticmethod
    def _list(text):
        return [part.strip() for part in text.strip("{}").split(",")]

    def _load(self, verb, operands, state):
        size = 8 if verb.endswith("64") else 4
        address = self._address(state, operands[1])
        for i, register in enumerate(self._list(operands[0])):
            _, value, _ = state.memory.load(wide.add(address, wide.const(size * i)), size)
            state.registers[register] = value

    def _store(self, operands, state):
        address = self._address(state, operands[0])
        for i, register in enumerate(self._list(operands[1])):
            state.memory.store(wide.add(address, wide.const(4 * i)), 4, wide.low(self._value(state, register)), True)
