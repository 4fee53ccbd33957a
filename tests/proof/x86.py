"""x86-64 instructions on terms: control flow, operands, and how functions are called; scalars.py and vectors.py have the rest."""
import machine
import scalars
import terms
import vector_instructions
import vectors
import wide
from conditions import branch, condition
from machine import STACK
from program import Unreadable

_CLOBBERED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
_FILLED = 32  # bytes at a time
_VECTORS_ONLY = {prefix + verb for verb in vectors.BINARY.keys() | vectors.SHIFTS.keys() | {"pternlogd", "pcmpeqd"}
                 for prefix in ("", "v")}


class Machine(machine.Machine):
    """For x86-64 processors."""
    WIDEST, STACK_POINTER = 16, "rsp"
    SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
    ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8")
    CALL = "call"

    @staticmethod
    def writes(instruction):
        if instruction.verb == "vzeroupper":
            return {f"v{n}" for n in range(16)}
        targets = instruction.operands[:2 if instruction.verb == "vpgatherdd" else 1]
        return {operand.name for operand in targets if operand.kind in ("register", "vector", "mask")}

    def successors(self, address):
        instruction = self.program.instruction(address)
        verb, operands = instruction.verb, instruction.operands
        if verb == "ret":
            return []
        if verb == "jmp":
            return [] if operands[0].name in self.notes else [self.target(instruction)]
        if verb[0] == "j":
            return [self.target(instruction), instruction.next]
        return [instruction.next]

    @staticmethod
    def _quickly(instruction, state):
        if instruction.verb not in _VECTORS_ONLY or instruction.operands[0].kind != "vector":
            return False
        state.registers[instruction.operands[0].name] = object()
        return True

    def _follow(self, instruction, state, deep):
        verb = instruction.verb
        if verb in ("jmp", "call", "ret"):
            return [self._transfer(instruction, state)]
        if verb[0] == "j":
            return self._branch(instruction, state)
        if verb.startswith("cmov") and self.forks_at_moves:
            return self._moves(instruction, state)
        if verb != "nop":
            self._execute(instruction, state, deep)
        return [(instruction.next, state)]

    def start(self, entry, inputs, passes):
        state = super().start(entry, inputs, passes)
        state.memory.store(STACK, 8, ("return", None))
        return state

    def pass_arguments(self, state, numbers, words=()):
        """Several vectors are in memory."""
        super().pass_arguments(state, numbers, words if len(words) == 1 else ())
        for i, word in enumerate(words if len(words) > 1 else ()):
            state.memory.store(wide.add(STACK, terms.const(8 + 64 * i)), 64, word)

    def is_as_before(self, end):
        return super().is_as_before(end) and end.registers["rsp"] == wide.add(STACK, terms.const(8))

    def _transfer(self, instruction, state):
        if instruction.verb == "ret":
            return self._return(state)
        target = self.target(instruction)
        if target in self.notes or instruction.verb == "call" and self._is_filling(target):
            if target in self.notes:
                call = self.arguments(state)
                state.calls.append(call if self.lanes == self.width else call._replace(
                    words=self._stack_arguments(state, instruction.verb)))
                written = self.written(target)
            else:
                self._fill(state, *(state.registers[name] for name in self.ARGUMENTS[:3]))
                written = {name for name in state.registers if name in _CLOBBERED or name[0] in "vk"}
            for name in (written & state.registers.keys()) - {*self.SAVED, self.STACK_POINTER}:
                del state.registers[name]
            state.flags = None
            return self._return(state) if instruction.verb == "jmp" else (instruction.next, state)
        if instruction.verb == "call":
            self._push(state, ("return", instruction.next))
            state.frames.append(target)
        return target, state

    def _is_filling(self, target):
        """Whether a function is memset(), of another library."""
        jump = self.program.instruction(target)
        return jump.verb == "jmp" and jump.operands[0].kind == "memory" and (
            self.program.imports.get(jump.operands[0].name) == "memset")

    def _fill(self, state, place, byte, size):
        size, word = wide.number(size), wide.number(byte) * 0x01010101
        for at in range(0, size, _FILLED):
            words = ((terms.const(word), None),) * (min(_FILLED, size - at) // 4)
            state.memory.store(wide.add(place, terms.const(at)), 4 * len(words), words)

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
        return branch(self, state, asked, truth, self.target(instruction), instruction.next)

    def _moves(self, instruction, state):
        """A conditional move on both ways; on either the target's upper half becomes zero."""
        asked, truth = condition(instruction.verb[4:], state.flags)
        ends = branch(self, state, asked, truth, 1, 0)
        for source, end in ends:
            self.write(end, instruction.operands[0], self.read(end, instruction.operands[source]))
        return [(instruction.next, end) for _, end in ends]

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
        if size in (1, 2):
            return self._read_part(state, operand, size)
        if size not in (4, 8):
            raise Unreadable("an operand of no size")
        if operand.kind == "number":
            return wide.canonical(wide.const(operand.name)) if size == 8 else terms.const(operand.name)
        if operand.kind == "register":
            value = state.registers[operand.name]
            return value if size == 8 else wide.low(value)
        if operand.kind != "memory":
            raise Unreadable("operand")
        return self.load(state, self.address(state, operand), size)

    def _read_part(self, state, operand, size):
        """Some bytes of a word."""
        if operand.kind == "memory":
            address, at = self._word_of(state, operand)
            word = terms.rotr(self.load(state, address, 4), 8 * at)
        else:
            word = terms.const(operand.name) if operand.kind == "number" else wide.low(state.registers[operand.name])
        return terms.and_(word, terms.const((1 << 8 * size) - 1))

    def _word_of(self, state, operand):
        """The address of the word that has some bytes, and their place in it."""
        address = self.address(state, operand)
        at = address.constant % 4
        if at + operand.size > 4:
            raise Unreadable("a part of two words")
        return address._replace(constant=address.constant - at), at

    def _write_part(self, state, operand, value):
        """Leaves the other bytes of a word, and the upper half of a register, as they are."""
        if operand.kind == "register":
            old, at = state.registers[operand.name], 0
        else:
            address, at = self._word_of(state, operand)
            try:
                old = self.load(state, address, 4)
            except Unreadable:  # nothing has been written there, or a vector
                old = wide.low(wide.fresh("unknown"))
        mask = (1 << 8 * operand.size) - 1 << 8 * at
        word = terms.xor(terms.and_(wide.low(old), terms.const(~mask)),
                         terms.and_(terms.rotr(wide.low(value), 32 - 8 * at), terms.const(mask)))
        if operand.kind == "memory":
            state.memory.store(address, 4, word)
        else:
            upper = wide.scale(wide.fresh("unknown"), 1 << 32)
            state.registers[operand.name] = word if isinstance(old, int) else wide.add(upper, word)

    def write(self, state, operand, value):
        if operand.size in (1, 2):
            self._write_part(state, operand, value)
        else:
            super().write(state, operand, value)

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
