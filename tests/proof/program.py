"""A reader of the printed program (gpuminer-kernelgen --dialect neutral): one instruction a line, run on terms."""
import os
import re
import subprocess

import terms


class Unreadable(Exception):
    """Something that the reader does not know."""


class Refuted(Exception):
    """The code does something else than the textbook."""


_VERBS = {"add": ("add", 2), "xor3": ("xor", 3), "ch": ("ch", 3), "maj": ("maj", 3)}


def parse(text):
    """[(stage, result, [verb, operand…])]: the verb of a plain copy is "copy"."""
    instructions, stage = [], None
    for line in text.splitlines():
        heading = re.fullmatch(r"stage (\w+)", line)
        if heading:
            stage = heading[1]
            continue
        assignment = re.fullmatch(r"\s*(\S+) = (\S.*)", line)
        if not assignment or stage is None:
            raise Unreadable(f"the printed program has the line '{line.strip()}'")
        words = assignment[2].split()
        instructions.append((stage, assignment[1], words if len(words) > 1 else ["copy"] + words))
    return instructions


def run(instructions, inputs, ops=terms):
    """The results of all stages, by name, over the words of `ops`. Numbered values end with their stage."""
    known, local, stage_now = dict(inputs), {}, None

    def operand(name):
        if re.fullmatch(r"0x[0-9a-f]+", name):
            return ops.const(int(name, 16))
        found = local.get(name, known.get(name))
        if found is None:
            raise Unreadable(f"the printed program reads '{name}', which nothing has written")
        return found

    for stage, result, (verb, *operands) in instructions:
        if stage != stage_now:
            stage_now, local = stage, {}
        if verb == "copy":
            term = operand(operands[0])
        elif verb in ("rotr", "shr") and len(operands) == 2:
            term = getattr(ops, verb)(operand(operands[0]), int(operands[1]))
        elif verb in _VERBS and len(operands) == _VERBS[verb][1]:
            term = getattr(ops, _VERBS[verb][0])(*map(operand, operands))
        else:
            raise Unreadable(f"the printed program has the verb '{verb}' with {len(operands)} operands")
        (local if re.fullmatch(r"x\d+", result) else known)[result] = term
    return known


def printed(build, *arguments):
    """What the generator of a build folder prints; by an emulator where it is for another processor."""
    generator = next(filter(os.path.exists, (f"{build}/emulated/gpuminer-kernelgen", f"{build}/gpuminer-kernelgen")))
    command = [generator, *arguments, "--dialect", "neutral"]
    return parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
