"""Corruptions by one more instruction: stores, and loads of another lane's word. Of x86 code."""
import corruptions
import program
import vectors
from instruction import Instruction, Operand

_NOWHERE = 0x7fff_0000_0000  # where no instruction is


def outcome(prove):
    try:
        prove()
    except program.Refuted as refuted:
        return f"refuted: {refuted}"
    except program.Unreadable as unreadable:
        return f"not read: {unreadable}"
    return "proved"


def _check_insertions(name, linked, prove, places, stray):
    """Raises SystemExit if a function is proved with one more instruction after one of some places, as `stray(instruction)` has."""
    refused = 0
    for place in places:
        original = linked.instruction(place)
        for inserted in stray(original):
            linked.exchange(inserted._replace(address=_NOWHERE, next=original.next))
            linked.exchange(original._replace(next=_NOWHERE))
            became = outcome(prove)
            linked.exchange(original)
            if became == "proved":
                raise SystemExit(f"{name}: proved although {original} was followed by {inserted}")
            refused += became.startswith("refuted")
    if places:
        print(f"{name}: {refused} stray stores are refuted")
    if places and not refused:
        raise SystemExit(f"{name}: no stray store was refuted")


def check_stray_stores(code, name, linked):
    """What has been written as a result is not changed afterwards."""
    places = [place for place in code.places if linked.architecture == "x86" and any(
        corruptions.stray_stores(linked.instruction(place)))]
    _check_insertions(name, linked, code.prove, places[-2:], corruptions.stray_stores)


def check_arguments(linked, form, prove):
    """A search does not change what its caller has given."""
    places = [form.entry] if linked.architecture == "x86" else []
    _check_insertions(form.function, linked, prove, places, lambda _: corruptions.stores_to_arguments())


def check_lanes(name, machine, pointer, offset):
    """A word of one lane is no word of every lane, and nothing for a general register."""
    if machine.WIDEST < 8 or machine.lanes < 8:
        return
    memory, target = Operand("memory", 4, None, "rsi", None, 0, offset), Operand("vector", 32, "v1")
    for verb, operands in (("vpbroadcastd", (target, memory)), ("vpxord", (target, Operand("vector", 32, "v2"), memory._replace(
            broadcast=True))), ("mov", (Operand("register", 4, "rax"), memory)), ("mov", (Operand("register", 8, "rax"), memory._replace(size=8)))):
        state = machine.start(0, machine.inputs, 1)
        state.registers |= {"rsi": pointer, "v2": vectors.ZERO}
        try:
            machine._execute(Instruction(0, verb, operands, 0, verb), state, True)
            uniform = machine.uniform(state.registers["v1"], 8)
        except program.Unreadable:
            continue
        raise SystemExit(f"{name}: {verb} with the word of one lane is taken for {uniform} in all")
    print(f"{name}: the word of one lane is that of no other")
