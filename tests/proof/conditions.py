"""Branches: what is compared, in one spelling, and which ways a path goes on."""
import wide
from program import Unreadable

_CODES = {"e": ("equal", True), "ne": ("equal", False), "be": ("at most", True), "a": ("at most", False),
          "ae": ("at least", True), "b": ("at least", False)}


def condition(code, flags):
    """(condition, how it has to be), or (None, whether it holds). `code`: as in x86's conditional jumps, unsigned.

    `flags`: ("compare", x, y), or ("zero", x, y) where only equality is known, or None where nothing is.
    A condition is ("equal", x, y) or ("at most", x, y): x <= y, without a sign.
    """
    relation, truth = _CODES[code]
    if flags is None:
        return ("unknown", wide.fresh("flags")), truth
    kind, x, y = flags
    if relation != "equal" and kind != "compare":
        raise Unreadable(f"condition {code} after an instruction that does not compare")
    if relation == "at least":
        x, y = y, x
    numbers = wide.number(x), wide.number(y)
    if relation == "equal":
        apart = wide.number(wide.difference(x, y))  # numbers, or two places in the same memory
        if apart is not None:
            return None, (apart == 0) == truth
        return ("equal", *sorted((x, y), key=repr)), truth
    if x == y or None not in numbers:
        return None, (x == y or numbers[0] <= numbers[1]) == truth
    if numbers[0] is not None and wide.least(y) >= numbers[0]:
        return None, truth
    if numbers[1] is not None and wide.least(x) > numbers[1]:
        return None, not truth
    return ("at most", x, y), truth


def holds(state, asked, truth):
    """Whether a path has decided, as far as it is known; None if not."""
    if asked is None:
        return truth
    return state.decisions[asked] == truth if asked in state.decisions else None


def branch(machine, state, asked, truth, target, following):
    """[(address, state)] after a conditional jump."""
    jumps = holds(state, asked, truth)
    if jumps is not None:
        return [(target if jumps else following, state)]
    other = state.copy()
    for end, decision in (state, truth), (other, not truth):
        end.decisions[asked] = decision
        machine.decided(end, asked, decision)
    return [(target, state), (following, other)]
