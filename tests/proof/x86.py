"""x86-64 instructions on terms: control flow, general registers, memory; vectors.py has what vectors do."""
import scalars
import terms
import vector_instructions
import vectors
import wide
from conditions import branch, condition
from engine import Refuted
from memory import Memory, NeverWritten
from program import Unreadable
from state import State

_CLOBBERED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
_VECTORS_ONLY = {prefix + verb for verb in vectors.BINARY.keys() | vectors.SHIFTS.keys() | {"pternlogd", "pcmpeqd"}
                 for prefix in ("", "v")}


class Machine:
    """What a function does. `notes`: addresses of functions that are not followed: note_lanes."""

    def __init__(self, program, lanes, notes=()):
        self.program, self.lanes, self.notes = program, lanes, set(notes)
        self.loops = program.loops
        self.executed = set()  # addresses
        self.seen = []  # what end_of_passes() has found
        self.order = tuple(range(16)) if lanes > 1 else (None,) * 16  # which input a lane belongs to

    def successors(self, address):
        instruction = self.program.instruction(address)
        verb, operands = instruction.verb, instruction.operands
        if verb == "ret":
            return []
        if verb == "jmp":
            return [] if operands[0].name in self.notes else [self._target(instruction)]
        if verb[0] == "j":
            return [self._target(instruction), instruction.next]
        return [instruction.next]

    def step(self, address, state, deep):
        instruction = self.program.instruction(address)
        verb = instruction.verb
        if deep:
            self.executed.add(address)
        elif verb in _VECTORS_ONLY and instruction.operands[0].kind == "vector":  # quickly, as most are such
            state.registers[instruction.operands[0].name] = object()
            return [(instruction.next, state)]
        try:
            if verb in ("jmp", "call", "ret"):
                return [self._transfer(instruction, state)]
            if verb[0] == "j":
                return self._branch(instruction, state)
            if verb != "nop":
                self._execute(instruction, state, deep)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise Unreadable(f"{address:x}: {instruction.text} ({error!r})") from error
        except Unreadable as error:
            raise type(error)(f"{address:x}: {instruction.text}: {error}") from error
        return [(instruction.next, state)]

    @staticmethod
    def by_itself(_):
        """Whether the first pass of a loop that is entered with a state is to be executed by itself."""
        return False

    def passes_by_themselves(self, ends):
        """To be overridden where by_itself() is: looks at the ends of such a pass, after which that has to be over."""

    def after_loops(self, ends):
        """Looks at the ends of a function that has loops."""
        if any(end.tests or end.calls for end in ends):
            raise Refuted("nonces are tested outside of the loops")

    def end_of_passes(self, start, again, left):
        """To be overridden: looks at what a pass of a loop has tested and called, at its ends in the loop and out of it."""

    def decided(self, state, condition, truth):
        """To be overridden: a path on which a condition holds or not."""

    def start(self, entry, inputs, passes):
        """The state at a function's entry."""
        state = State(Memory(inputs, passes))
        state.registers["rsp"] = wide.atom("pointer", "stack")
        state.memory.store(state.registers["rsp"], 8, ("return", None))
        state.frames.append(entry)
        return state

    @staticmethod
    def _target(instruction):
        operand = instruction.operands[0]
        if operand.kind != "code":
            raise Unreadable("a jump to a computed address")
        return operand.name

    def _transfer(self, instruction, state):
        if instruction.verb == "ret":
            return self._return(state)
        target = self._target(instruction)
        if target in self.notes:
            state.calls.append(dict(state.registers) | {"stack": self._stack_arguments(state, instruction.verb)})
            for name in list(state.registers):
                if name in _CLOBBERED or name[0] in "vk":
                    del state.registers[name]
            state.flags = None
            return self._return(state) if instruction.verb == "jmp" else (instruction.next, state)
        if instruction.verb == "call":
            self._push(state, ("return", instruction.next))
            state.frames.append(target)
        return target, state

    def _stack_arguments(self, state, verb):
        """The vectors that a caller passes in memory."""
        top = state.registers["rsp"] if verb == "call" else wide.add(state.registers["rsp"], terms.const(8))
        base, offset = wide.wide(top).parts, wide.wide(top).constant
        cells = state.memory.cells.get(base, {})
        offset -= (offset >> 63) << 64
        return [cells[at][1] for at in (offset, offset + 64) if at in cells and cells[at][0] == 64]

    def _return(self, state):
        address = self._pop(state)
        if not (isinstance(address, tuple) and address[0] == "return"):
            raise Unreadable("a return to an unknown address")
        state.frames.pop()
        return address[1], state

    def _push(self, state, value):
        state.registers["rsp"] = wide.sub(state.registers["rsp"], terms.const(8))
        state.memory.store(state.registers["rsp"], 8, value)

    def _pop(self, state):
        value = state.memory.load(state.registers["rsp"], 8)[1]
        state.registers["rsp"] = wide.add(state.registers["rsp"], terms.const(8))
        return value

    def _branch(self, instruction, state):
        asked, truth = condition(instruction.verb[1:], state.flags)
        return branch(self, state, asked, truth, self._target(instruction), instruction.next)

    def address(self, state, operand):
        if operand.name is not None:
            return wide.const(operand.name)
        total = wide.const(operand.offset)
        if operand.base:
            total = wide.add(total, state.registers[operand.base])
        if operand.index:
            total = wide.add(total, wide.scale(state.registers[operand.index], operand.scale))
        return wide.wide(total)

    def read(self, state, operand, size=None):
        """A general register's, a number's, or memory's value."""
        size = size or operand.size
        if size == 1 and operand.kind in ("register", "number"):
            number = operand.name if operand.kind == "number" else wide.number(state.registers[operand.name])
            if number is not None:
                return terms.const(number & 0xff)
        if size not in (4, 8):
            raise Unreadable("a part of a register or of a word")
        if operand.kind == "number":
            return wide.canonical(wide.const(operand.name)) if size == 8 else terms.const(operand.name)
        if operand.kind == "register":
            value = state.registers[operand.name]
            return value if size == 8 else wide.low(value)
        if operand.kind != "memory":
            raise Unreadable("operand")
        return self.load(state, self.address(state, operand), size)

    def constants(self, operand):
        """A vector of the program's constants."""
        return vectors.of_constants(self.program.constants(operand.name, operand.size), self.order)

    def load_vector(self, state, address, size):
        try:
            cell_size, value, offset = state.memory.load(address, size)
        except NeverWritten:
            if size != 8:
                raise
            return tuple((self.load(state, wide.wide(wide.add(address, terms.const(at))), 4), None) for at in (0, 4))
        if cell_size == 8 and isinstance(value, (int, wide.Wide)):
            value = tuple((half, None) for half in wide.halves(value))
        if offset or isinstance(value, tuple) or size < 16:
            words = vectors.elements(value, 16, self.order)
            value = words[offset // 4:offset // 4 + size // 4]
        return value

    def load(self, state, address, size):
        lane = [part for part in address.parts if part[0][0][0] == "zext" and
                terms.node(part[0][0][1])[:3] == ("atom", "of", "lowest bit")]
        if len(lane) == 1 and size == 4 and lane[0][1] == 4:
            bits = terms.node(lane[0][0][0][1])[3]
            return self._load_lane(state, address._replace(parts=tuple(p for p in address.parts if p not in lane)), bits)
        cell_size, value, offset = state.memory.load(address, size)
        if not isinstance(value, (int, tuple)):
            return wide.fresh("unknown") if size == 8 else wide.low(wide.fresh("unknown"))
        if cell_size >= 16:
            value, lane = vectors.elements(value, cell_size // 4, self.order)[offset // 4]
            if size != 4 or lane is not None:
                raise Unreadable("a load of a part of a vector")
            return value
        if offset != 0:
            raise Unreadable("a load of an upper half")
        return value if size == cell_size else wide.low(value)

    def _load_lane(self, state, address, bits):
        """The lane whose number is that of the lowest one of `bits`, of vectors that have been stored one after the other."""
        pieces, at = [], 0
        while at < self.lanes * 4:
            size, value, offset = state.memory.load(wide.add(address, terms.const(at)), 16)
            if offset or size < 4 * min(self.lanes, 16):
                raise Unreadable("a lane of something else than whole vectors")
            pieces.append(vectors.uniform(value, self.order, size // 4))
            at += size
        return terms.atom("lane of", bits, *pieces)

    def write(self, state, operand, value):
        if operand.kind == "register":
            if operand.size == 8:
                state.registers[operand.name] = value
            elif operand.size == 4:
                state.registers[operand.name] = wide.low(value)
            else:
                raise Unreadable("a write to a part of a register")
        else:
            state.memory.store(self.address(state, operand), operand.size, value if operand.size == 8 else wide.low(value))

    def store_vector(self, state, operand, value):
        if operand.size < 16 and isinstance(value, (int, tuple)):
            value = vectors.elements(value, operand.size // 4, self.order)
            if operand.size == 4:
                (value, lane), = value
                if lane is not None:
                    raise Unreadable("a store of a word of one lane")
        state.memory.store(self.address(state, operand), operand.size, value)

    def _execute(self, instruction, state, deep):
        verb, operands = instruction.verb, instruction.operands
        if any(operand.kind in ("vector", "mask") for operand in operands):
            vector_instructions.execute(self, verb.removeprefix("v"), operands, state, deep, verb[0] == "v")
        elif verb == "vzeroupper":
            for name in [name for name in state.registers if name[0] == "v" and int(name[1:]) < 16]:
                del state.registers[name]
        else:
            self._execute_scalar(instruction, verb, operands, state, deep)

    def _execute_scalar(self, instruction, verb, operands, state, deep):
        scalars.execute(self, instruction, verb, operands, state, deep)
