"""SPIR-V on terms: one invocation of a compute shader, as glslc has written it for Vulkan."""
import re
import shutil
import struct
import subprocess
from typing import NamedTuple

import ptx
import terms
import wide
from conditions import branch, condition
from program import Unreadable

_COMPUTED = {
    "OpIAdd": ptx.add_disjoint, "OpISub": terms.sub, "OpIMul": ptx.multiply, "OpNot": terms.not_, "OpBitcast": lambda x: x,
    "OpBitwiseAnd": terms.and_, "OpBitwiseOr": terms.or_, "OpBitwiseXor": terms.xor,
    "OpShiftRightLogical": lambda x, n: terms.shr(x, _bits(n)), "OpShiftLeftLogical": lambda x, n: terms.shl(x, _bits(n)),
    "OpUMulExtended": lambda x, y: (ptx.multiply(x, y), ptx.multiply_high(x, y))}
_RELATIONS = {"OpIEqual": "e", "OpINotEqual": "ne", "OpULessThan": "b", "OpULessThanEqual": "be", "OpUGreaterThan": "a",
              "OpUGreaterThanEqual": "ae"}
_NOTHING = {"OpLabel", "OpPhi", "OpSelectionMerge", "OpLoopMerge", "OpName"}
GROUP = "%LocalSize.x"  # the specialisation constant


def _bits(n):
    number = terms.value(n)
    if not 0 <= number < 32:
        raise Unreadable("a shift by more bits than a word has")
    return number


class Instruction(NamedTuple):
    result: str  # "%1" or ""
    verb: str
    operands: tuple
    guard = ""  # as PTX has


class Module(NamedTuple):
    name: str
    instructions: list
    labels: dict        # places by label
    declarations: list  # instructions before the function
    decorations: dict   # (what it is of, member or None, kind): the rest


def read(path):
    """The text of a shader that glslc has written as a list of numbers."""
    if not shutil.which("spirv-dis"):
        raise Unreadable("there is no spirv-dis")
    words = [int(word, 0) for word in re.findall(r"\b(?:0x[0-9a-fA-F]+|\d+)\b", path.read_text())]
    return subprocess.run(["spirv-dis", "--raw-id", "--no-header", "-"], input=struct.pack(f"<{len(words)}I", *words),
                          capture_output=True, check=True).stdout.decode()


def parse(text):
    module = Module("shader", [], {}, [], {})
    for line in text.splitlines():
        match = re.fullmatch(r"\s*(?:(%\d+) = )?(Op\w+)(?: (.*))?", line)
        if not match:
            raise Unreadable(f"the line '{line.strip()}'")
        instruction = Instruction(match[1] or "", match[2], tuple((match[3] or "").split()))
        verb, operands = instruction[1:]
        if verb == "OpDecorate":
            module.decorations[operands[0], None, operands[1]] = operands[2:]
        elif verb == "OpMemberDecorate":
            module.decorations[operands[0], int(operands[1]), operands[2]] = operands[3:]
        elif verb == "OpFunction" or module.instructions:
            if verb == "OpFunction" and module.instructions:
                raise Unreadable("a module with several functions")
            if verb == "OpLabel":
                module.labels[match[1]] = len(module.instructions)
            module.instructions.append(instruction)
        else:
            module.declarations.append(instruction)
    return module


class Machine(ptx.Machine):
    """One invocation. Addresses are places in the list of instructions."""

    def __init__(self, module, *of_proof):
        super().__init__(module[:3], *of_proof)
        self.module = module
        self.types = {each.result: each for each in module.declarations if each.verb.startswith("OpType")}
        self.lengths = {}  # of arrays, by type
        self.group = None  # the specialisation constant that is the number of a group's members
        self._label_of = {}
        for place, each in enumerate(module.instructions):
            self._label_of[place] = each.result if each.verb == "OpLabel" else self._label_of.get(place - 1)

    def start(self, inputs, passes):
        state = super().start(inputs, passes)
        for each in self.module.declarations:
            self.declared(state.registers, each)
        sizes = [state.registers[name] for name, _, kind in self.module.decorations if kind == "BuiltIn" and
                 self.module.decorations[name, None, kind] == ("WorkgroupSize",)]
        if sizes != [(state.registers.get(self.group), terms.const(1), terms.const(1))]:
            raise Unreadable("a group of another size than the reader knows")
        return state

    def declared(self, known, each):
        result, verb, operands = each
        if verb == "OpConstant":
            known[result] = terms.const(int(operands[1]))
        elif verb == "OpSpecConstant":
            if self.module.decorations[result, None, "SpecId"] != ("0",):
                raise Unreadable("a specialisation constant that the reader does not know")
            known[result], self.group = terms.atom("register", GROUP), result
        elif verb in ("OpSpecConstantComposite", "OpConstantComposite"):
            known[result] = tuple(known[operand] for operand in operands[1:])
        elif verb == "OpSpecConstantOp" and operands[1] == "CompositeExtract":
            known[result] = known[operands[2]][int(operands[3])]
        elif verb == "OpSpecConstantOp" and operands[1] == "IMul":
            number, other = sorted((known[operand] for operand in operands[2:]), key=lambda x: terms.value(x) is None)
            known[result] = terms.scale(other, terms.value(number))
        elif verb == "OpTypeInt" and operands[0] != "32":
            raise Unreadable("numbers of other than 32 bits")
        elif verb == "OpTypeArray" and operands[1] in known:
            self.lengths[result] = known[operands[1]]
        elif verb == "OpVariable":
            known[result] = self.variable(result, operands[1])
        elif not verb.startswith(("OpType", "OpCapability", "OpExt", "OpMemoryModel", "OpEntryPoint", "OpExecutionMode",
                                  "OpConstantTrue", "OpConstantFalse", "OpUndef", "OpName", "OpSource")):
            raise Unreadable(f"the declaration {verb}")

    def variable(self, name, storage):
        """(type, address)"""
        declared = next(each for each in self.module.declarations if each.result == name)
        builtin = self.module.decorations.get((name, None, "BuiltIn"))
        binding = self.module.decorations.get((name, None, "Binding"))
        known = {("Uniform", ("0",)): f"{self.name}_param_0", ("StorageBuffer", ("1",)): "results", ("Workgroup", None): "shared"}
        if storage in ("Uniform", "StorageBuffer") and self.module.decorations.get((name, None, "DescriptorSet")) != ("0",):
            raise Unreadable("a buffer of another set")
        pointer = builtin[0] if storage == "Input" else known[storage, binding]
        return self.types[declared.operands[0]].operands[1], wide.atom("pointer", pointer)

    def successors(self, place):
        instruction = self.instructions[place]
        verb, operands = instruction.verb, instruction.operands
        if verb == "OpReturn":
            return []
        if verb == "OpBranchConditional":
            return [self.labels[operands[1]], self.labels[operands[2]]]
        if verb in ("OpBranch", "OpSwitch"):
            return [self.labels[operands[-1]]]
        return [place + 1]

    def _follow(self, place, instruction, state, deep):
        verb, operands = instruction.verb, instruction.operands
        if verb == "OpReturn":
            state.frames.pop()
            return [(None, state)]
        if verb in ("OpBranch", "OpSwitch"):
            if verb == "OpSwitch" and len(operands) != 2:
                raise Unreadable("a switch with cases")
            return [self._arrived(place, self.labels[operands[-1]], state)]
        if verb == "OpBranchConditional":
            asked, truth = state.registers[operands[0]]
            ends = branch(self, state, asked, truth, self.labels[operands[1]], self.labels[operands[2]])
            return [self._arrived(place, *end) for end in ends]
        if verb not in _NOTHING and verb != "OpFunction":
            self._execute(instruction, state, deep)
        return [(place + 1, state)]

    def _arrived(self, place, target, state):
        """At the beginning of a block, whose values depend on where a path comes from."""
        values, at = {}, target + 1
        while self.instructions[at].verb == "OpPhi":
            of = self.instructions[at].operands[1:]
            values[self.instructions[at].result] = state.registers[of[of.index(self._label_of[place], 1) - 1]]
            at += 1
        state.registers |= values
        return target, state

    def _execute(self, instruction, state, deep):
        result, verb, operands = instruction
        known = state.registers
        if verb in _COMPUTED:
            shallow = not deep and verb not in ("OpIAdd", "OpISub", "OpBitcast", "OpIMul", "OpUMulExtended")
            known[result] = wide.low(wide.fresh("unknown")) if shallow else _COMPUTED[verb](*(known[each] for each in operands[1:]))
        elif verb in _RELATIONS:
            known[result] = condition(_RELATIONS[verb], ("compare", *(known[each] for each in operands[1:])))
        elif verb == "OpAccessChain":
            known[result] = self._place(*known[operands[1]], [known[each] for each in operands[2:]])
        elif verb == "OpLoad":
            _, known[result], _ = state.memory.load(known[operands[1]][1], 4)
        elif verb == "OpStore":
            self._store(state, known[operands[0]][1], known[operands[1]])
        elif verb == "OpCompositeExtract":
            known[result] = known[operands[1]][int(operands[2])]
        elif verb == "OpCompositeConstruct":
            known[result] = tuple(known[each] for each in operands[1:])
        elif verb == "OpArrayLength" and operands[2] == "2" and known[operands[1]][1] == wide.atom("pointer", "results"):
            known[result] = terms.atom("capacity")
        elif verb in ("OpAtomicOr", "OpAtomicIAdd"):
            known[result] = self.shared_count(state, known[operands[1]][1])
            if verb == "OpAtomicIAdd":
                state.calls.append(("counted", known[operands[1]][1], known[result], known[operands[4]]))
            elif terms.value(known[operands[4]]) != 0:
                raise Unreadable("what other threads see is changed")
        else:
            raise Unreadable("an instruction that the reader does not know")

    def _place(self, kind, address, indices):
        """(type, address) of a part of a variable."""
        for index in indices:
            what = self.types[kind]
            if what.verb == "OpTypeStruct":
                member = terms.value(index)
                offset, = self.module.decorations[kind, member, "Offset"]
                kind, address = what.operands[member], wide.add(address, wide.const(int(offset)))
            elif what.verb == "OpTypeVector":
                kind, address = what.operands[0], wide.add(address, wide.scale(index, 4))
            elif address == wide.atom("pointer", "shared"):
                number = self.own(index)
                if not self._is_within(number, self.lengths[kind]):
                    raise Unreadable("a word beyond the shared memory")
                kind, address = what.operands[0], wide.add(address, wide.const(4 * number))
            else:
                stride, = self.module.decorations[kind, None, "ArrayStride"]
                kind, address = what.operands[0], wide.add(address, wide.scale(index, int(stride)))
        return kind, wide.wide(address)

    @staticmethod
    def _is_within(number, length):
        """Whether an array has so many words of each member of a group, and one more."""
        constant, factors = terms.summands(length)
        return not constant and number < factors.get(terms.atom("register", GROUP), 0) and len(factors) == 1

    @staticmethod
    def own(index):
        """Which of its own words of the shared memory an invocation reaches: they are as far apart as a group has members."""
        number = terms.sub(index, terms.atom("register", "LocalInvocationId.x"))
        constant, factors = terms.summands(number)
        if constant or any(part != terms.atom("register", GROUP) for part in factors):
            raise Unreadable("another invocation's word of the shared memory")
        return factors.get(terms.atom("register", GROUP), 0)

    def _store(self, state, address, value):
        if address.parts == wide.atom("pointer", "shared").parts:
            state.memory.store(address, 4, value, True)
        else:
            for at, word in enumerate(value if isinstance(value, tuple) else (value,)):
                state.calls.append(("store", wide.add(address, wide.const(4 * at)), word))
