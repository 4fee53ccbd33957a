"""What a pass of a loop adds to registers and memory, and the state before any pass that follows from it.

A step is a number or what the caller has given, the same in every pass; or a multiple of a value that is another one in every
pass: before any pass, that has added the same multiple of the sum of those values ("sum"), to every place with such a step.
"""
from typing import NamedTuple

import terms
import wide
from handed_on import HANDED_ON, Byte, Free, Same, Word, before_first_pass, fits
from memory import for_pass
from state import forget, get, is_number, is_of_pass, number_at, places, put, word_at


class Lower(NamedTuple):
    """In place of a step: it is added to the lower half of a register; a pass makes the upper half zero, whatever it was."""
    step: int


def suggested(state, again):
    """By place what a pass adds to it (None: it does anything else), as one pass suggests; without unchanged ones."""
    steps = {}
    for place in places(state):
        old = get(state, place)
        news = [get(end, place) for end in again]
        if all(new == old for new in news):
            continue
        steps[place] = None
        if is_number(place, old) and all(new is not None for new in news):
            numbers = [each if place[0] == "register" else each[1] for each in [old, *news]]
            if all(isinstance(each, (int, wide.Wide)) for each in numbers):
                step = {wide.difference(number, numbers[0]) for number in numbers[1:]}
                lower = {terms.value(terms.sub(wide.low(number), wide.low(numbers[0]))) for number in numbers[1:]}
                if len(step) == 1 and all(map(_is_step, step)):
                    steps[place], = step
                    if isinstance(numbers[0], int) and isinstance(numbers[1], wide.Wide):  # it becomes one of 64 bits
                        steps[place] = wide.wide(steps[place])
                elif place[0] == "register" and not any(isinstance(new, wide.Wide) for new in news) and (
                        len(lower) == 1 and None not in lower):
                    steps[place] = Lower(*lower)
    return steps


def before_any_pass(state, steps, index, changed_elsewhere):
    """The state before any pass, the steps of each place in it (0: it does not change), and arrays of which it has the element
    of this pass only, as it was before the loop: {key for this pass: key}. That holds if no pass changes another's element, or
    else the key has to be in `changed_elsewhere`.
    """
    start, all_steps, elements, copied = state.copy(), {}, {}, {}
    start.flags, start.entered = None, state.entered or [state]
    for place in list(places(state)):
        step = all_steps[place] = steps.get(place, 0)
        if step is None:
            forget(start, place)
            if place[0] == "array" and len(place[1][1]) == 1 and place[1] not in changed_elsewhere:
                element = _element(place, index)
                size, value = get(state, place)
                put(start, element, (size, for_pass(value, {place[1][1][0][1]: (0, {index: 1})})))
                elements[element[1]] = place[1]
        elif isinstance(step, Lower):
            put(start, place, _lower(get(state, place), step, index))
        elif isinstance(step, HANDED_ON):
            entered = state.entered or [state]
            if isinstance(step, Free) and step.is_half and all(word_at(each, place) is not None for each in entered):
                general = wide.under_unknown(step.atom)
                put(start, place, general if place[0] == "register" else (8, general))
            elif isinstance(step, Free) and all(isinstance(number_at(each, place), int) for each in entered):
                put(start, place, step.atom if place[0] == "register" else (get(state, place)[0], step.atom))
            elif isinstance(step, Word) and all(isinstance(number_at(each, place), int) for each in entered):
                unknown = wide.low(wide.fresh("unknown"))
                put(start, place, unknown if place[0] == "register" else (8, unknown))
            elif isinstance(step, Byte) and all(wide.lowest_byte(get(each, place)) == step.number for each in entered):
                put(start, place, wide.unknown_but_for(step.number))
            elif isinstance(step, Same) and all(number_at(each, place) == number_at(each, step.place) for each in entered):
                copied[place] = step.place
            elif not isinstance(step, (Free, Byte, Same, Word)) and all(
                    get(each, place) == before_first_pass(each, place, step, index) for each in entered):
                put(start, place, step.value)
            else:
                all_steps[place] = None
                forget(start, place)
        elif step != 0:
            old = get(state, place)
            number = old if place[0] == "register" else old[1]
            if not isinstance(number, (int, wide.Wide)):
                all_steps[place] = None
                forget(start, place)
                continue
            varying = _varying(step)
            general = wide.add(number, wide.scale(wide.atom("sum", index), varying[1])) if varying else wide.after_passes(
                number, step, index)
            put(start, place, general if place[0] == "register" else (old[0], general))
    for place, other in copied.items():
        put(start, place, number_at(start, other) if place[0] == "register" else (8, number_at(start, other)))
    return start, all_steps, elements


def _lower(old, step, index):
    """A register of which the lower half has gone on; nothing is known of the upper one."""
    low = terms.add(wide.low(old), terms.scale(wide.low_of_index(index), step.step))
    return wide.under_unknown(low)


def _element(place, index):
    """The place of the element of this pass in an array that another loop has filled."""
    kind, (base, ((factor, _),)), offset = place
    return kind, (base, ((factor, index),)), offset


def _is_step(value):
    """Whether a pass adds it in a way that is followed."""
    if isinstance(value, wide.Wide):
        return all(kind == "value" for monomial, _ in value.parts for kind, _ in monomial) or _varying(value) is not None
    return wide.number(value) is not None


def _varying(step):
    """(atom, factor) of a multiple of an unknown value; None if a step is anything else."""
    if not isinstance(step, wide.Wide) or step.constant or len(step.parts) != 1:
        return None
    (monomial, factor), = step.parts
    return (monomial[0], factor) if len(monomial) == 1 and monomial[0][0] in ("chosen", "unknown") else None


def differences(start, end, steps, index):
    """The places at which a pass from the general state has not led to the general state."""
    varied = set()  # what has been different in this pass
    for place in list(places(start)):
        old, new, step = get(start, place), get(end, place), steps.get(place)
        if step is None or (step == 0 and old == new) or is_of_pass(place, index):
            continue
        if isinstance(step, HANDED_ON):
            if not fits(start, end, place, step, index):
                yield place
            continue
        if isinstance(step, Lower) and isinstance(new, (int, wide.Wide)):
            if terms.sub(wide.low(new), wide.low(old)) != terms.const(step.step):
                yield place
            continue
        varying = _varying(step)
        if varying and new is not None:
            numbers = [each if place[0] == "register" else each[1] for each in (old, new)]
            added = _varying(wide.difference(*reversed(numbers)))
            if added and added[1] == varying[1] and varied <= {added[0]}:
                varied.add(added[0])
                continue
            yield place
            continue
        if step != 0 and new is not None:
            old_number, new_number = (old, new) if place[0] == "register" else (old[1], new[1])
            if isinstance(new_number, (int, wide.Wide)) and wide.difference(new_number, old_number) == wide.canonical(step):
                continue
        yield place
