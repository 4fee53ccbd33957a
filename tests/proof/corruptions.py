"""Corruptions of instructions, as a miscompilation or a wrong edit might make them, and which of x86's matter."""
import re

from instruction import Instruction, Operand

_EXCHANGED = {"vpaddd": "vpsubd", "paddd": "psubd", "vpxor": "vpor", "pxor": "por", "vpand": "vpxor", "pand": "pxor",
              "vpor": "vpand", "por": "pand", "xor": "or", "and": "xor", "add": "sub", "sub": "add", "rol": "ror", "ror": "rol",
              "inc": "dec", "dec": "inc", "bsf": "mov", "bswap": "neg",
              "sha256msg1": "sha256msg2", "sha256msg2": "sha256msg1", "punpckhqdq": "punpcklqdq"}
_JUMPS = {"je": ("jne",), "jne": ("je",), "ja": ("jae", "jbe", "jg"), "jae": ("ja", "jb", "jge"), "jb": ("jbe", "jae", "jl"),
          "jbe": ("jb", "ja", "jle")}
_TESTING = ("pcmpeqd", "movmskps", "ptestnmd", "kmovw", "kortestw", "call")
_REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")


def numbers(number, of_shift):
    """Others in place of one, which perhaps says by how many bits something is shifted."""
    if of_shift:
        return [number % 31 + 1, number + 1 & 31 or 1, 32 - number if number != 16 else 15]
    return [number + 1, 2 * number, number ^ 0x80]


def _operands(verb, operand, other_notes):
    if operand.kind == "number":
        of_shift = verb.removeprefix("v") in ("psrld", "pslld", "prord", "prold", "rol", "ror", "shr", "shl")
        of_table = [operand.name ^ 1 << bit for bit in range(8)] if verb.endswith("ternlogd") else None
        for number in of_table or numbers(operand.name, of_shift):
            if number != operand.name:
                yield operand._replace(name=number)
    elif operand.kind == "register":
        for name in _REGISTERS:
            if name != operand.name:
                yield operand._replace(name=name)
    elif operand.kind == "vector":
        for number in {(int(operand.name[1:]) + step) % 16 for step in (1, 5)}:
            yield operand._replace(name=f"v{number}")
    elif operand.kind == "memory":
        for step in (1, 4, -4, 64):
            yield operand._replace(name=operand.name + step) if operand.name is not None else operand._replace(
                offset=operand.offset + step)
        if operand.scale > 1:
            yield operand._replace(scale=operand.scale // 2)
    elif operand.name in other_notes:
        yield from (operand._replace(name=address) for address in other_notes - {operand.name})


def _of_another_size(instruction):
    """One bit of an instruction decides how wide its operands are."""
    verb, operands = instruction.verb, instruction.operands
    if verb in ("push", "pop", "nop", "lea", "movzx", "call", "jmp", "kmovw", "kmovd"):
        return
    if verb in ("mov", "cmp", "test", "add") and {each[:2] for each in operands} == {("register", 4)}:
        return  # upper halves are zero, or (of sums) not looked at
    if verb in ("mov", "add") and operands[0][:2] == ("register", 4) and operands[1].kind == "number":
        return  # likewise
    sizes = {operand.size for operand in operands if operand.kind in ("register", "vector", "memory")}
    if len(sizes) == 1:
        size, = sizes
        for other in {4: (8,), 8: (4,), 32: (16,), 64: (32, 16)}.get(size, ()):
            yield instruction._replace(operands=tuple(
                each if each.kind == "number" else each._replace(size=other) for each in operands))
    elif verb.removeprefix("v") in ("movmskps", "ptestnmd"):
        yield instruction._replace(operands=tuple(
            each._replace(size=each.size // 2) if each.kind == "vector" else each for each in operands))


def of_instruction(instruction, other_notes=frozenset()):
    """All of one x86 instruction; `other_notes`: functions to which a call of one of them may be exchanged."""
    verb, operands = instruction.verb, instruction.operands
    if verb == "mov" and operands[0] == operands[1]:  # it clears the upper half, which is zero
        return
    for other in _JUMPS.get(verb, ()):
        yield instruction._replace(verb=other)
    if verb in _EXCHANGED:
        yield instruction._replace(verb=_EXCHANGED[verb])
    yield from _of_another_size(instruction)
    for i, operand in enumerate(operands):
        if verb in ("push", "pop", "nop") or operands[0].name == "rsp":  # a larger frame would do as well
            continue
        for changed in _operands(verb, operand, other_notes):
            yield instruction._replace(operands=operands[:i] + (changed,) + operands[i + 1:])


def is_of_hash(instruction):
    """Whether an instruction may be one of the hash's: it computes from registers, or shifts by a constant."""
    verb, operands = instruction.verb.removeprefix("v"), instruction.operands
    vector = operands and operands[0].kind == "vector"
    if vector and any(operand.kind == "memory" for operand in operands):
        return False
    return (vector and verb in ("paddd", "pxor", "pand", "por", "pternlogd", "psrld", "pslld", "prord", "prold", "sha256rnds2",
                                "sha256msg1", "sha256msg2", "palignr", "punpckhqdq", "pshufb", "pshufd") or
            verb in ("rol", "ror") or
            verb in ("add", "xor", "and") and all(operand[:2] == ("register", 4) for operand in operands))


def is_test(instruction):
    """Whether it decides which lanes are candidates."""
    return instruction.verb.removeprefix("v") in _TESTING


def is_jump(instruction):
    return instruction.verb[0] == "j"


def decides(instruction):
    """Whether it decides about a candidate, or stores it."""
    return instruction.verb in ("cmp", "sub", "bswap", "jae", "jb") or (
        instruction.verb == "mov" and instruction.operands[0].kind == "memory")


_ZERO = Operand("number", 0, 0)


def stray_stores(instruction):
    """Instructions that change what another one has just stored, but for a spilled value."""
    where = instruction.operands[0] if instruction.operands else None
    if where and where.kind == "memory" and where.base not in (None, "rsp", "rbp") and instruction.verb.removeprefix("v").startswith("mov"):
        for size, at in ((1, 0), (2, 2), (4, 0)):
            yield Instruction(instruction.address, "mov", (where._replace(size=size, offset=where.offset + at), _ZERO), None, "a stray store")
        if where.index is None:
            yield Instruction(instruction.address, "mov", (where._replace(size=4, index="rsi", scale=1), _ZERO), None, "a stray store")


def stores_to_arguments():
    """Instructions that change what a search's caller has given, in the beginning: a target, a capacity, the number found."""
    for size, offset in ((4, 0x2c), (8, 0x48), (8, 0x50)):
        yield Instruction(0, "mov", (Operand("memory", size, None, "rdi", None, 0, offset), _ZERO), None, "a stray store")


def of_spirv(instruction):
    """Some of one SPIR-V instruction, for those that matter."""
    verb, operands = instruction.verb, instruction.operands
    exchanged = {"OpIAdd": "OpISub", "OpBitwiseXor": "OpBitwiseOr", "OpBitwiseAnd": "OpBitwiseXor", "OpBitwiseOr": "OpBitwiseAnd",
                 "OpShiftRightLogical": "OpShiftLeftLogical", "OpShiftLeftLogical": "OpShiftRightLogical",
                 "OpULessThanEqual": "OpULessThan", "OpULessThan": "OpULessThanEqual", "OpUGreaterThan": "OpUGreaterThanEqual",
                 "OpUGreaterThanEqual": "OpUGreaterThan", "OpIEqual": "OpINotEqual"}
    if verb in exchanged:
        yield instruction._replace(verb=exchanged[verb])
    if verb in ("OpIAdd", "OpIMul", "OpBitwiseAnd", "OpBitwiseXor", "OpCompositeConstruct"):
        yield instruction._replace(operands=operands[:2] + operands[1:2])
    if verb in ("OpAccessChain", "OpBranchConditional") and len(operands) > 3 or verb == "OpBranchConditional":
        yield instruction._replace(operands=operands[:-2] + operands[:-3:-1])


def of_ptx(instruction):
    """All of one PTX instruction, for the verbs that matter."""
    verb, operands = instruction.verb, instruction.operands
    exchanged = {"add.s32": "sub.s32", "setp.le.u32": "setp.lt.u32", "setp.gt.u32": "setp.ge.u32", "setp.ge.u32": "setp.gt.u32",
                 "setp.ne.s32": "setp.eq.s32", "setp.lt.u32": "setp.le.u32", "and.b32": "or.b32", "mad.lo.s32": "mul.lo.s32"}
    if verb in exchanged:
        kept = operands[:3] if verb == "mad.lo.s32" else operands
        yield instruction._replace(verb=exchanged[verb], operands=kept)
    if instruction.guard:
        guard = instruction.guard
        yield instruction._replace(guard=guard[1:] if guard.startswith("!") else "!" + guard)
    if operands and operands[-1].isdigit():
        number = int(operands[-1])
        numbers = [number ^ 1 << bit for bit in range(8)] if verb == "lop3.b32" else [number % 31 + 1, number + 4]
        for other in numbers:
            yield instruction._replace(operands=operands[:-1] + (str(other),))
    if operands and operands[-1].startswith("["):
        yield instruction._replace(operands=operands[:-1] + (operands[-1].replace("]", "+4]") if "+" not in operands[-1] else
                                                            operands[-1].replace("+", "+1"),))


def ptx_texts(text):
    """(what has been changed, text): of a kernel."""
    count = re.search(r"ld\.volatile\.global\.u32\s+%r\d+, \[(%rd\d+)\];", text)
    yield "another word is looked at than the number found", text.replace(count[0], count[0].replace("]", "+4]"))
    yield "a word before the job's is taken for its last one", re.sub(
        r"ld\.param\.v2\.u32\s+\{(%r\d+), (%r\d+)\}, \[(\S+)\+256\];", r"ld.param.u32 \1, [\3+256];\nld.param.u32 \2, [\3+156];", text)
    yield "the number found is changed where there is no place", text.replace(
        count[0], f"{count[0]}\natom.global.add.u32 %r99999, [{count[1]}+4], 7;")


def spirv_texts(text):
    """Likewise, of a shader: the first ones are of its declarations."""
    yield "the size of a group is not declared", re.sub(r" *OpDecorate %\d+ BuiltIn WorkgroupSize\n", "", text)
    yield "a group has two dimensions", re.sub(r"(OpSpecConstantComposite %\d+ (%\d+)) %\d+", r"\1 \2", text, count=1)
    yield "words have 16 bits", text.replace("OpTypeInt 32 0", "OpTypeInt 16 0")
    yield "a buffer is of another set", text.replace("DescriptorSet 0", "DescriptorSet 3", 1)
    yield "the shared memory is too small", re.sub(r"(OpConstant %\d+) 46\n", r"\1 45\n", text) if " Workgroup" in text else text
    zero, one = (re.search(rf"(%\d+) = OpConstant %\d+ {number}\n", text)[1] for number in range(2))
    look = re.search(r"(%\d+) = OpAtomicOr (%\d+) (%\d+)", text)
    kind, of = re.search(rf"{look[3]} = OpAccessChain (%\d+) (%\d+)", text).groups()
    other = f"%777777 = OpAccessChain {kind} {of} {one}\n"
    yield "another word is looked at than the number found", text.replace(look[0], other + look[0].replace(look[3], "%777777"))
    asked = re.search(rf"(%\d+) = OpUGreaterThan %\d+ {look[1]} ", text)[1]
    full = re.search(rf"OpBranchConditional {asked} (%\d+)", text)[1] + " = OpLabel\n"
    for what, line in (("the number found is reset where there is no place", f"OpStore {look[3]} {zero}\n"),
                       ("something is counted where there is no place", f"{other}%777778 = OpAtomicIAdd {look[2]} %777777 {one} {zero} {one}\n")):
        yield what, text.replace(full, full + line)
