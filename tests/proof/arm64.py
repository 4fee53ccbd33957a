"""AArch64 instructions on terms: control flow, memory, and how functions are called."""
import contextlib

import arm64_scalars
import arm64_vectors
import machine
import terms
import vectors
import wide
from conditions import branch, condition
from instruction import Operand
from memory import NeverWritten
from program import Unreadable

_SAVED_VECTORS = {f"v{n}": tuple((terms.atom("saved", f"d{n}", half), None) for half in range(2)) for n in range(8, 16)}
_CODES = {"eq": "e", "ne": "ne", "hi": "a", "ls": "be", "cs": "ae", "hs": "ae", "cc": "b", "lo": "b"}  # as x86's
_LOADS, _STORES = {"ldr", "ldur", "ldp", "ld1.s", "ld1r.4s"}, {"str", "stur", "stp"}


def _unknown():
    return wide.low(wide.fresh("unknown"))


class Machine(machine.Machine):
    """For AArch64 processors, as the procedure call standard says (AAPCS64)."""
    WIDEST, STACK_POINTER = 4, "sp"
    SAVED = tuple(f"x{n}" for n in range(19, 30))
    ARGUMENTS = ("x0", "x1", "x2", "x3", "x4")
    CODES = _CODES
    SHORT = 16  # a loop that makes an array of schedules has less than 64
    CALL = "bl"

    @staticmethod
    def writes(instruction):
        return _writes(instruction)

    def successors(self, address):
        instruction = self.program.instruction(address)
        verb = instruction.verb
        if verb == "ret":
            return []
        if verb == "b":
            target = self.target(instruction)
            return [] if target in self.notes else [target]
        if _is_conditional(verb):
            return [self.target(instruction), instruction.next]
        return [instruction.next]

    def start(self, entry, inputs, passes):
        state = super().start(entry, inputs, passes)
        state.registers |= {"x30": ("return", None)} | _SAVED_VECTORS
        return state

    def is_as_before(self, end):
        """Of the vectors v8 to v15 the lower halves are saved."""
        lower = {name: vectors.elements(value, 2, self.order) for name, value in end.registers.items()
                 if name in _SAVED_VECTORS and isinstance(value, (int, tuple))}
        return super().is_as_before(end) and end.registers["sp"] == machine.STACK and lower == _SAVED_VECTORS

    @staticmethod
    def _quickly(instruction, state):
        if instruction.verb not in arm64_vectors.LANEWISE:
            return False
        state.registers[instruction.operands[0].name] = object()
        return True

    def _follow(self, instruction, state, deep):
        verb, operands = instruction.verb, instruction.operands
        if any(operand.kind == "unknown" for operand in operands):
            raise Unreadable("an operand that the reader does not know")
        if verb in ("b", "bl", "ret"):
            return [self._transfer(instruction, state)]
        if _is_conditional(verb):
            asked, truth = self._condition(verb, operands, state)
            return branch(self, state, asked, truth, self.target(instruction), instruction.next)
        if verb in _LOADS or verb in _STORES:
            self._access(verb, operands, state, deep)
        elif any(operand.kind in ("vector", "lane") for operand in operands):
            arm64_vectors.execute(self, verb, operands, state, deep)
        elif verb != "nop":
            arm64_scalars.execute(self, instruction, state, deep)
        return [(instruction.next, state)]

    def _transfer(self, instruction, state):
        verb = instruction.verb
        if verb == "ret":
            return self._return(instruction, state)
        target = self.target(instruction)
        if verb == "bl":
            state.registers["x30"] = ("return", instruction.next)
        if target in self.notes:
            state.calls.append(self.arguments(state))
            back = self._return(None, state, leaves=verb == "b")
            self._clobber(state, self.written(target))
            return back
        if verb == "bl":
            state.frames.append(target)
        return target, state

    def _return(self, instruction, state, leaves=True):
        address = state.registers["x30"]
        if instruction and instruction.operands or not (isinstance(address, tuple) and address[0] == "return"):
            raise Unreadable("a return to an unknown address")
        if leaves:
            state.frames.pop()
        return address[1], state

    def _clobber(self, state, written):
        """What a function may have changed of registers that it writes: not SAVED, sp, and the lower halves of some vectors."""
        for name in written & state.registers.keys() - {*self.SAVED, self.STACK_POINTER}:
            if name in _SAVED_VECTORS and isinstance(state.registers[name], (int, tuple)):
                state.registers[name] = vectors.elements(state.registers[name], 2, self.order) + ((_unknown(), None),) * 2
            else:
                del state.registers[name]
        state.flags = None

    def _condition(self, verb, operands, state):
        if verb.startswith("b."):
            return condition(_CODES[verb[2:]], state.flags)
        value, code = self.read(state, operands[0]), "e" if verb in ("cbz", "tbz") else "ne"
        if verb in ("tbz", "tbnz"):
            value = terms.and_(wide.low(value), terms.const(1 << operands[1].name))
            if operands[1].name > 31:
                raise Unreadable("a bit of an upper half")
        return condition(code, ("compare", value, vectors.ZERO))

    def address(self, state, operand):
        total = wide.add(state.registers[operand.base], wide.const(operand.offset))
        if operand.index:
            index = state.registers[operand.index]
            if operand.extend not in ("", "lsl", "uxtw"):
                raise Unreadable("an index with a sign")
            index = wide.low(index) if operand.extend == "uxtw" else index
            total = wide.add(total, wide.scale(index, operand.scale))
        return wide.wide(total)

    def read(self, state, operand, size=None):
        """A general register's or a number's value, shifted or extended as the operand says."""
        size, extend = size or operand.size, operand.extend
        if operand.kind == "number":
            if extend not in ("", "lsl"):
                raise Unreadable("a number that is shifted in another way")
            number = operand.name << operand.scale
            return wide.canonical(wide.const(number)) if size == 8 else terms.const(number)
        if operand.kind != "register":
            raise Unreadable("operand")
        value = vectors.ZERO if operand.name == "zr" else state.registers[operand.name]
        value = value if operand.size == 8 else wide.low(value)
        if extend in ("lsr", "asr", "ror", "lsl"):
            return arm64_scalars.shifted(extend, value, operand.scale, operand.size)
        if extend not in ("", "uxtw", "uxtx"):
            raise Unreadable("a register that is extended in another way")
        value = wide.low(value) if extend == "uxtw" else value
        return wide.scale(value, 1 << operand.scale) if operand.scale else value

    def write(self, state, operand, value):
        if operand.name != "zr":
            super().write(state, operand, value)

    def load_element(self, state, address, size=4):
        if address.parts:
            return super().load_element(state, address, size)
        if size != 4:
            raise Unreadable("a constant of 64 bits in a general register")
        return terms.const(*self.program.constants(address.constant, 4)), None

    def load_vector(self, state, address, size):
        """A vector's lowest words; the others become zero."""
        if not address.parts:
            return self.constants(Operand("memory", size, address.constant))
        if size == 4:
            return (self.load_element(state, address),)
        return super().load_vector(state, address, size)

    def _access(self, verb, operands, state, deep):
        """Loads and stores, of one register or of two."""
        at = next(i for i, operand in enumerate(operands) if operand.kind == "memory")
        registers, memory, after = operands[:at], operands[at], operands[at + 1:]
        before = wide.add(state.registers[memory.base], wide.const(memory.offset))
        if memory.extend == "!":
            state.registers[memory.base] = before
            memory = memory._replace(offset=0, extend="")
        pieces, offset = [], memory.offset
        for register in registers:
            size = 4 if verb.startswith("ld1") else register.size
            pieces.append(memory._replace(size=size, offset=offset))
            offset += size
        if verb in _STORES:
            for register, piece in zip(registers, pieces):
                self._store(state, register, piece)
        else:
            values = [self._loaded(state, register, piece, deep) for register, piece in zip(registers, pieces)]
            for register, value in zip(registers, values):
                self._put(state, verb, register, value)
        if after:
            number, = after
            state.registers[memory.base] = wide.add(state.registers[memory.base], wide.const(number.name))

    def _store(self, state, register, piece):
        if register.kind == "register":
            self.write(state, piece, self.read(state, register))
        else:
            self.store_vector(state, piece, arm64_vectors.read(state, register))

    def _loaded(self, state, register, piece, deep):
        address = self.address(state, piece)
        if register.kind == "register":
            return self.load(state, address, piece.size)
        with contextlib.nullcontext() if deep else contextlib.suppress(NeverWritten, TypeError):
            return self.load_vector(state, address, piece.size)
        return object()

    def _put(self, state, verb, register, value):
        if register.kind == "register":
            self.write(state, register, value)
        elif verb == "ld1r.4s":
            state.registers[register.name] = arm64_vectors.broadcast(value, self.order)
        elif register.kind == "lane":
            arm64_vectors.insert(self, state, register, value)
        else:
            state.registers[register.name] = value


def _writes(instruction):
    verb, operands = instruction.verb, instruction.operands
    bases = {operand.base for operand in operands if operand.kind == "memory" and (
        operand.extend == "!" or operand is not operands[-1])}
    if verb == "bl":
        return {"x30"}
    if verb in _STORES or verb in ("b", "ret", "cmp", "cmn", "tst") or _is_conditional(verb):
        return bases
    written = operands if verb in _LOADS else operands[:1]
    return bases | {operand.name for operand in written if operand.kind in ("register", "vector", "lane")}


def _is_conditional(verb):
    return verb.startswith("b.") or verb in ("cbz", "cbnz", "tbz", "tbnz")
