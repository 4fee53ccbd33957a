#!/usr/bin/env python3
"""Corrupted code is refused: one operand or instruction is exchanged after it has been read.

usage: test_corrupted.py BUILD_FOLDER NAME...
NAME: a form of the linked program (scan_avx2), or a kernel (fixed_0.ptx). Of a form: instructions of the hash until ten were
refused because their term differs; five by which lanes are tested; every instruction of the function that notes them.
"""
import pathlib
import random
import sys

import corruptions
import forms
import gpu
import header
import listing
import program
import ptx
import scan
from engine import Refuted

_WANTED = 10
_TESTING = ("pcmpeqd", "movmskps", "ptestnmd", "kmovw", "kortestw", "call")


class _Function:
    """A function of the linked program: proves itself, and has one instruction exchanged."""

    def __init__(self, linked, prove):
        self._linked, self.prove = linked, prove
        self.places = sorted(prove())

    def instruction(self, address):
        return self._linked.instruction(address)

    def exchange(self, _, instruction):
        self._linked.exchange(instruction)


class _Kernel:
    """A kernel in PTX, likewise."""

    def __init__(self, path, tables):
        self._module, self._tables, self._rolled = ptx.parse(path.read_text()), tables, path.name.startswith("rolled")
        self.places = sorted(self.prove())

    def prove(self):
        return gpu.prove_kernel(self._module, self._tables, self._rolled)

    def instruction(self, place):
        return self._module[1][place]

    def exchange(self, place, instruction):
        self._module[1][place] = instruction


def _outcome(code):
    try:
        code.prove()
    except Refuted as refuted:
        return f"refuted: {refuted}"
    except program.Unreadable as unreadable:
        return f"not read: {unreadable}"
    return "proved"


def _exchanged(name, code, place, changed):
    original = code.instruction(place)
    code.exchange(place, changed)
    outcome = _outcome(code)
    code.exchange(place, original)
    if outcome == "proved":
        raise SystemExit(f"{name}: proved although {original} had become {changed}")
    return outcome


def _check_hash(name, code, chosen, corrupted):
    """Raises SystemExit unless ten corruptions are refused because terms differ, and none is proved."""
    rng, refused = random.Random(name), 0
    places = [place for place in code.places if chosen(code.instruction(place))]
    for place in rng.sample(places, 4 * _WANTED):
        changed = list(corrupted(code.instruction(place)))
        if changed:
            refused += _exchanged(name, code, place, rng.choice(changed)) == "refuted: " + scan.WRONG_WORD
        if refused == _WANTED:
            print(f"{name}: {refused} corruptions of the hash are refused because the word tested is another")
            return
    raise SystemExit(f"{name}: {refused} corruptions were refused for their terms, expected {_WANTED}")


def _check_others(name, code, chosen, corrupted, how_many=None):
    """Raises SystemExit if one of them is proved: of all, or of so many."""
    tries = [(place, changed) for place in code.places if chosen(code.instruction(place))
             for changed in corrupted(code.instruction(place))]
    if how_many:
        tries = random.Random(name).sample(tries, min(how_many, len(tries)))
    outcomes = [_exchanged(name, code, *each) for each in tries]
    refuted = sum(outcome.startswith("refuted") for outcome in outcomes)
    print(f"{name}: of {len(outcomes)} other corruptions {refuted} are refuted, and the others not read")


def _is_of_hash(instruction):
    """Whether an instruction may be one of the hash's: it computes from registers, or shifts by a constant."""
    verb, operands = instruction.verb.removeprefix("v"), instruction.operands
    vector = operands and operands[0].kind == "vector"
    if vector and any(operand.kind == "memory" for operand in operands):
        return False
    return (vector and verb in ("paddd", "pxor", "pand", "por", "pternlogd", "psrld", "pslld", "prord", "prold") or
            verb in ("rol", "ror") or
            verb in ("add", "xor", "and") and all(operand[:2] == ("register", 4) for operand in operands))


def _is_test(instruction):
    return instruction.verb.removeprefix("v") in _TESTING


def _check_form(linked, build, form):
    tables = header.job_tables(build, False)
    notes = dict.fromkeys(address for _, address in forms.note_functions(linked))
    code = _Function(linked, lambda: scan.prove_scan(linked, form, tables, False))

    def corrupted(instruction):
        return corruptions.of_instruction(instruction, notes.keys() - form.notes)
    _check_hash(form.function, code, _is_of_hash, corrupted)
    _check_others(form.function, code, _is_test, corrupted, _WANTED // 2)
    for address in sorted(form.notes)[:1]:
        note = _Function(linked, lambda a=address: scan.prove_note(linked, form.lanes, a))
        _check_others(f"{form.function}, what notes candidates at {address:x}", note, lambda _: True, corruptions.of_instruction)


def _is_of_ptx_hash(instruction):
    return instruction.verb in ("lop3.b32", "shf.l.wrap.b32", "shr.u32", "add.s32", "mad.lo.s32")


def _is_control(module):
    """What decides and reports, but not how often a loop runs, nor a count's look before it is increased: any number will do."""
    free = {each.operands[0] for each in module if each.verb in ("setp.lt.u32", "ld.volatile.global.u32")}

    def chosen(instruction):
        return instruction.verb.startswith(("setp", "bra", "st.global", "atom")) and free.isdisjoint(
            (instruction.guard.lstrip("!"), *instruction.operands))
    return chosen


def main():
    build, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if not (build / "gpuminer").exists():
        print("SKIPPED: the program is not built")
        return 77
    linked = listing.Program(str(build / "gpuminer"))
    found = [form for form in forms.searches(linked)[0] if form.function in names]
    for form in found:
        _check_form(linked, build, form)
    for path in (build / "cuda" / "kernels").glob("*.ptx"):
        if path.name in names:
            found.append(path)
            code = _Kernel(path, header.job_tables(build, path.stem.startswith("rolled")))
            _check_hash(path.name, code, _is_of_ptx_hash, corruptions.of_ptx)
            _check_others(path.name, code, _is_control(ptx.parse(path.read_text())[1]), corruptions.of_ptx)
    if not found:
        print(f"SKIPPED: {', '.join(names)} were not built")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
