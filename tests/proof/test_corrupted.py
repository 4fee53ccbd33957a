#!/usr/bin/env python3
"""Corrupted code is refused: one operand or instruction is exchanged after it has been read.

usage: test_corrupted.py BUILD_FOLDER NAME...
NAME: a form of the linked program (scan_avx2), a kernel of batches (sha256d64_avx2), or of a GPU (fixed_0.ptx,
search_0_0.inc). Instructions of
the hash are exchanged until ten were refused because their term differs. Only those count with which the code, interpreted
with random numbers, comes to other results: all of these have to be refused, and the code as it is has to come to those of
the textbook or hashlib. Of a form of the search also five by which lanes are tested, and every instruction of the function
that notes them.
"""
import pathlib
import random
import sys

import arm64_corruptions
import batch
import corruptions
import forms
import gpu
import header
import inserted
import interpret
import interpret_gpu
import listing
import messages
import program
import ptx
import scan
import spirv
import streams
import wide
import woven
from architectures import machine as machine_for
from program import Refuted

_WANTED = 10
_OF = {"x86": corruptions, "arm64": arm64_corruptions}


class _Function:
    """A function of the linked program: proves itself, and has one instruction exchanged."""

    def __init__(self, linked, prove, numbers=None):
        self._linked, self.prove, self.numbers = linked, prove, numbers
        self.places = sorted(prove())

    def instruction(self, address):
        return self._linked.instruction(address)

    def exchange(self, _, instruction):
        self._linked.exchange(instruction)


class _Kernel:
    """A kernel in PTX or SPIR-V, likewise."""

    def __init__(self, module, tables, rolled):
        self._module, self._tables, self._rolled = module, tables, rolled
        self.places = sorted(self.prove())

    def prove(self):
        return gpu.prove_kernel(self._module, self._tables, self._rolled)

    def numbers(self, rng):
        return interpret_gpu.kernel(self._module, self._tables, self._rolled, rng)

    def instruction(self, place):
        return self._module[1][place]

    def exchange(self, place, instruction):
        self._module[1][place] = instruction


def _is_right(code):
    """Whether code comes to the right results for random numbers."""
    for seed in range(2):
        actual, expected = code.numbers(random.Random(seed))
        if actual != expected:
            return False
    return True


def _changes_results(code):
    """Whether it is sure that a corrupted code comes to others; it may also not be possible to interpret it."""
    try:
        return not _is_right(code)
    except (program.Unreadable, Refuted, TypeError, AttributeError, IndexError):
        return False


def _exchanged(name, code, place, changed, look=False):
    """What becomes of a corrupted code; None if `look`, and nothing shows that it comes to other results."""
    original = code.instruction(place)
    code.exchange(place, changed)
    outcome = None if look and not _changes_results(code) else inserted.outcome(code.prove)
    code.exchange(place, original)
    if outcome == "proved":
        raise SystemExit(f"{name}: proved although {original} had become {changed}")
    return outcome


def _check_hash(name, code, chosen, corrupted, why=scan.WRONG_WORD):
    """Raises SystemExit unless ten corruptions are refused because terms differ, and none is proved."""
    if not _is_right(code):
        raise SystemExit(f"{name}: interpreted with numbers, the code does not come to the textbook's results")
    rng, refused, harmless = random.Random(name), 0, 0
    places = [place for place in code.places if chosen(code.instruction(place))]
    for place in rng.sample(places, min(4 * _WANTED, len(places))):
        changed = list(corrupted(code.instruction(place)))
        if changed:
            outcome = _exchanged(name, code, place, rng.choice(changed), look=True)
            refused += outcome == "refuted: " + why
            harmless += outcome is None
        if refused == _WANTED:
            print(f"{name}: {refused} corruptions of the hash are refused because a word is another ({harmless} change none)")
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


def _check_form(linked, build, form):
    tables, of = header.job_tables(build, False), _OF[linked.architecture]
    notes = dict.fromkeys(address for _, address in forms.note_functions(linked))
    code = _Function(linked, lambda: scan.prove_scan(linked, form, tables, False),
                     lambda rng: interpret.search(linked, form, tables, rng))

    def corrupted(instruction):
        return of.of_instruction(instruction, notes.keys() - form.notes)
    _check_hash(form.function, code, of.is_of_hash, corrupted)
    _check_others(form.function, code, of.is_test, corrupted, _WANTED // 2)
    inserted.check_arguments(linked, form, code.prove)
    for address in sorted(form.notes)[:1]:
        note = _Function(linked, lambda a=address: scan.prove_note(linked, form.lanes, a))
        _check_others(f"{form.function}, what notes candidates at {address:x}", note, lambda _: True, of.of_instruction)


def _check_streams(linked, build, form, rolled):
    tables, of = header.job_tables(build, rolled), _OF[linked.architecture]
    name = form.function + (", several versions" if rolled else "")
    code = _Function(linked, lambda: streams.prove_streams(linked, form, tables, rolled),
                     lambda rng: interpret.streams_search(linked, form, tables, rolled, rng))
    _check_hash(name, code, of.is_of_hash, of.of_instruction)
    if rolled:
        return
    hashed = max(place for place in code.places if linked.instruction(place).verb.startswith("sha256"))

    def notes(instruction):
        """Whether an instruction decides about a candidate, or stores it (and does not decide how often the loop runs)."""
        jump = linked.instruction(instruction.next) if instruction.verb == "cmp" else instruction
        goes_back = of.is_jump(jump) and jump.operands[0].name < jump.address
        return hashed < instruction.address < hashed + 200 and not goes_back and of.decides(instruction)
    _check_others(name, code, notes, of.of_instruction, _WANTED)
    inserted.check_arguments(linked, form, code.prove)


def _check_woven(linked, build, form):
    of = _OF[linked.architecture]
    for rolled in (False, True):
        tables = header.job_tables(build, rolled)
        code = _Function(linked, lambda t=tables, r=rolled: woven.prove_woven(linked, form, t, r),
                         lambda rng, t=tables: interpret.woven_search(linked, form, t, rng))
        if not rolled:
            _check_hash(form.function, code, of.is_of_hash, of.of_instruction)
            inserted.check_arguments(linked, form, code.prove)
        _check_others(f"{form.function}, {'several versions' if rolled else 'one header'}", code, of.is_test, of.of_instruction,
                      _WANTED // 2)
    for address in sorted(form.notes)[:1]:
        note = _Function(linked, lambda a=address: woven.prove_note(linked, a))
        _check_others(f"{form.function}, what notes candidates at {address:x}", note, lambda _: True, of.of_instruction)


def _check_batch(linked, form):
    code = _Function(linked, lambda: batch.prove_batch(linked, form), lambda rng: interpret.hashes(linked, form, rng))
    of = _OF[linked.architecture]
    _check_hash(form.function, code, of.is_of_hash, of.of_instruction, batch.WRONG_WORD)
    inserted.check_stray_stores(code, form.function, linked)
    machine = machine_for(batch.Batch, linked, form)
    inserted.check_lanes(form.function, machine, wide.atom("pointer", "messages"), 4 * form.words * 3)


def _check_messages(linked, form):
    code = _Function(linked, lambda: messages.prove_messages(linked, form), lambda rng: interpret.states(linked, form, rng))
    of = _OF[linked.architecture]
    _check_hash(form.function, code, of.is_of_hash, of.of_instruction, messages.WRONG_WORD)
    inserted.check_stray_stores(code, form.function, linked)
    inserted.check_lanes(form.function, machine_for(messages.Messages, linked, form), wide.atom("pointer", "block of 3"), 0)
    inserted.check_lanes(form.function, machine_for(messages.Messages, linked, form), wide.atom("pointer", "states"), 0)


def _is_of_ptx_hash(instruction):
    return instruction.verb in ("lop3.b32", "shf.l.wrap.b32", "shr.u32", "add.s32", "mad.lo.s32")


def _is_of_spirv_hash(instruction):
    return instruction.verb in ("OpIAdd", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor", "OpShiftRightLogical", "OpShiftLeftLogical")


def _is_spirv_control(instruction):
    """What decides and reports."""
    return instruction.verb.startswith(("OpU", "OpIEqual", "OpBranchC", "OpCompositeC", "OpAtomic"))


def _is_control(module):
    """What decides and reports, but not how often a loop runs."""
    free = {each.operands[0] for each in module if each.verb == "setp.lt.u32"}

    def chosen(instruction):
        return instruction.verb.startswith(("setp", "bra", "st.global", "atom", "ld.volatile")) and free.isdisjoint(
            (instruction.guard.lstrip("!"), *instruction.operands))
    return chosen


def _check_texts(name, text, texts, prove):
    """Raises SystemExit if a kernel whose text has been changed is proved."""
    refused = [what for what, changed in texts(text) if changed != text and inserted.outcome(lambda: prove(changed)) != "proved"]
    missing = {what for what, changed in texts(text) if changed != text} - set(refused)
    if missing or not refused:
        raise SystemExit(f"{name}: proved although {', '.join(missing) or 'nothing was changed'}")
    print(f"{name}: refused: {', '.join(refused)}")


def main():
    build, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if not (build / "gpuminer").exists():
        print("SKIPPED: the program is not built")
        return 77
    linked = listing.Program(str(build / "gpuminer"))
    found = [form for form in forms.searches(linked)[0] if form.function in names]
    for form in found:
        if isinstance(form, forms.StreamForm):
            for rolled in (False, True):
                _check_streams(linked, build, form, rolled)
        else:
            (_check_woven if isinstance(form, forms.WovenForm) else _check_form)(linked, build, form)
    for form in forms.batches(linked):
        if form.function in names:
            found.append(form)
            _check_batch(linked, form)
    for form in forms.messages(linked):
        if form.function in names:
            found.append(form)
            _check_messages(linked, form)
    for path in (build / "cuda" / "kernels").glob("*.ptx"):
        if path.name in names:
            found.append(path)
            rolled = path.stem.startswith("rolled")
            tables = header.job_tables(build, rolled)
            code = _Kernel(ptx.parse(path.read_text()), tables, rolled)
            _check_texts(path.name, path.read_text(), corruptions.ptx_texts,
                         lambda text, t=tables, r=rolled: gpu.prove_kernel(ptx.parse(text), t, r))
            _check_hash(path.name, code, _is_of_ptx_hash, corruptions.of_ptx)
            _check_others(path.name, code, _is_control(ptx.parse(path.read_text())[1]), corruptions.of_ptx)
    for path in (build / "vulkan" / "shaders").glob("*.inc"):
        if path.name in names:
            found.append(path)
            rolled = path.name.startswith("search_1")
            tables = header.job_tables(build, rolled)
            code = _Kernel(spirv.parse(spirv.read(path)), tables, rolled)
            _check_texts(path.name, spirv.read(path), corruptions.spirv_texts,
                         lambda text, t=tables, r=rolled: gpu.prove_kernel(spirv.parse(text), t, r))
            _check_hash(path.name, code, _is_of_spirv_hash, corruptions.of_spirv)
            if not rolled:  # how many passes loops make is not proved
                _check_others(path.name, code, _is_spirv_control, corruptions.of_spirv)
    if not found:
        print(f"SKIPPED: {', '.join(names)} were not built")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
