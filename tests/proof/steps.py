"""What a pass of a loop adds to registers and memory, and the state before any pass that follows from it."""
import wide
from state import forget, get, is_number, places, put


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
                if len(step) == 1 and all(map(_is_step, step)):
                    steps[place], = step
    return steps


def before_any_pass(state, steps, index):
    """The state before any pass, and the steps of each place in it (0: it does not change)."""
    start, all_steps = state.copy(), {}
    start.flags = None
    for place in list(places(state)):
        step = all_steps[place] = steps.get(place, 0)
        if step is None:
            forget(start, place)
        elif step != 0:
            old = get(state, place)
            number = old if place[0] == "register" else old[1]
            if not isinstance(number, (int, wide.Wide)):
                all_steps[place] = None
                forget(start, place)
                continue
            general = wide.after_passes(number, step, index)
            put(start, place, general if place[0] == "register" else (old[0], general))
    return start, all_steps


def _is_step(value):
    """Whether it is the same in every pass: made of numbers and of what the caller has given."""
    if isinstance(value, wide.Wide):
        return all(kind == "value" for monomial, _ in value.parts for kind, _ in monomial)
    return wide.number(value) is not None


def differences(start, end, steps):
    """The places at which a pass from the general state has not led to the general state."""
    for place in list(places(start)):
        old, new, step = get(start, place), get(end, place), steps.get(place)
        if step is None or (step == 0 and old == new):
            continue
        if step != 0 and new is not None:
            old_number, new_number = (old, new) if place[0] == "register" else (old[1], new[1])
            if isinstance(new_number, (int, wide.Wide)) and wide.difference(new_number, old_number) == step:
                continue
        yield place
