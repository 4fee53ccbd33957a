"""Pointers to two places side by side that each pass of a loop exchanges, as where a pass writes what the next one reads.

Such two pointers become two others, of which nothing is known but that they are those, in one order or the other. What is in
the two places belongs to them, and can be reached in no other way. After a pass each has the name that the other one had.
"""
from typing import NamedTuple

import wide
from state import get, is_number, number_at, places, put


class Exchange(NamedTuple):
    pointers: tuple  # to both places, before the loop
    names: tuple     # of them in the loop


def found(state, again, index):
    """[Exchange, …] of what a pass that begins with a state exchanges."""
    pairs = set()
    moved = {}  # (before, after): of pointers
    for place in places(state):
        old, news = number_at(state, place), {number_at(end, place) for end in again}
        if is_number(place, get(state, place)) and isinstance(old, wide.Wide) and len(news) == 1:
            new, = news
            if isinstance(new, wide.Wide) and new.parts == old.parts and new != old:
                moved[place] = old, new
    changes = set(moved.values())
    for old, new in changes:
        if (new, old) in changes and any(kind == "pointer" for monomial, _ in old.parts for kind, _ in monomial):
            pairs.add(tuple(sorted((old, new))))
    return [Exchange(pair, tuple(wide.atom("pointer", f"exchanged {index} {number} {which}") for which in range(2)))
            for number, pair in enumerate(sorted(pairs))]


def apart(state, exchanges, again):
    """A state in which the two places of each exchange belong to its names."""
    other = state.copy()
    for exchange in exchanges:
        for place in list(places(state)):
            if is_number(place, get(state, place)) and number_at(state, place) in exchange.pointers and all(
                    number_at(end, place) != number_at(state, place) for end in again):
                _put(other, place, exchange.names[exchange.pointers.index(number_at(state, place))])
        other.memory.give(exchange.pointers, exchange.names)
    other.entered = state.entered and [apart(each, exchanges, again) for each in state.entered]
    return other


def _put(state, place, number):
    put(state, place, number if place[0] == "register" else (get(state, place)[0], number))


def renamed(end, exchanges):
    """The state after a pass, with the names as they are before the next one."""
    for first, second in (exchange.names for exchange in exchanges):
        other = {first: second, second: first}
        for place in list(places(end)):
            number = number_at(end, place) if is_number(place, get(end, place)) else None
            for name in (first, second):
                if isinstance(number, wide.Wide) and name.parts[0] in number.parts:
                    _put(end, place, wide.add(wide.sub(number, name), other[name]))
        end.memory.exchange(first.parts, second.parts)
    return end
