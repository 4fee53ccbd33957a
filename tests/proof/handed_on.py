"""What a pass of a loop leaves for the next one, where it is no step: functions of the number of passes or of other words."""
import itertools
from typing import NamedTuple

import terms
import walks
import wide
from memory import for_pass, is_of_inputs
from state import get, is_number, is_of_pass, number_at, places, put, word_at


class Formula(NamedTuple):
    """In place of a step: what is there before a pass, as a function of the number of passes."""
    value: object


class Free(NamedTuple):
    """In place of a step: a word that is any number before a pass; or the lower half of 64 bits, if `is_half`."""
    atom: int
    is_half: bool = False


class Related(NamedTuple):
    """In place of a step: a function of free words."""
    value: object
    places: tuple  # of these words


class Byte(NamedTuple):
    """In place of a step: the lowest byte of a register is that number, and the others are unknown."""
    number: int


class Same(NamedTuple):
    """In place of a step: the number that is at another place as well."""
    place: tuple


class Word(NamedTuple):
    """In place of a step: 64 bits whose upper half is zero."""
    size: int = 8


HANDED_ON = (Formula, Free, Related, Byte, Same, Word)
UNKNOWN_WORDS = (type(None), Free, Word)  # steps of words of which nothing is known


def _later(place, value, index, passes, more):
    """What a place holds with another number of passes: `passes` + `more`."""
    number = value if place[0] == "register" else value[1]
    number = for_pass(number, {index: (more, passes)})
    return number if place[0] == "register" else (value[0], number)


_results = {}  # of replacements


def before_first_pass(state, place, step, index):
    """What a formula or a relation says is in a place before the first pass."""
    if isinstance(step, Formula):
        return _later(place, step.value, index, {}, 0)
    return related(state, place, step)


def related(state, place, step):
    words = {terms.node(word)[1:]: word_at(state, where) for word, where in step.places}
    if None in words.values():
        return None
    return replaced(place, step.value, words)


def replaced(place, value, words):
    number = value if place[0] == "register" else value[1]
    known = _results.setdefault(frozenset(words.items()), {})
    if isinstance(number, int):
        number = walks.replace(number, words, known)
    else:
        number = tuple((walks.replace(term, words, known), lane) for term, lane in number)
    return number if place[0] == "register" else (value[0], number)


def fits(start, end, place, step, index):
    """Whether a pass has led to what a formula or a relation says."""
    if isinstance(step, (Free, Word)):
        return isinstance(number_at(end, place), int) or isinstance(step, Free) and step.is_half and word_at(end, place) is not None
    if isinstance(step, Same):
        return number_at(end, place) == number_at(end, step.place)
    if isinstance(step, Byte):
        return wide.lowest_byte(get(end, place)) == step.number
    if isinstance(step, Formula):
        return get(end, place) == _later(place, step.value, index, {index: 1}, 1)
    return get(end, place) == related(end, place, step)


def _agreed(again, steps):
    """{place: value} of what all ends of a pass have in common, of places that change in no known way."""
    found = {}
    for place, step in steps.items():
        values = {get(end, place) for end in again} if step is None or isinstance(step, Word) else {None}
        if place[0] != "array" and len(values) == 1 and None not in values:
            value, = values
            if _depends_on_inputs(value if place[0] == "register" else value[1]):
                found[place] = value
    return found


def kept(state, start, again, steps):
    """{place: Byte, Same or Word} of what a pass leaves so: see relations()."""
    return _kept_words(state, again, steps) | _copies(state, start, again, steps) | _kept_bytes(state, again, steps)


def _kept_words(state, again, steps):
    """{place: Word} of places of 64 bits in which there is a word before a pass and after it."""
    def of_64_bits(place):
        value = get(state, place)
        return is_number(place, value) and (place[0] == "register" or value[0] == 8)
    return {place: Word() for place, step in steps.items() if step is None and of_64_bits(place) and all(
        isinstance(number_at(each, place), int) for each in [*(state.entered or [state]), *again])}


def _kept_bytes(state, again, steps):
    """{place: Byte} of registers of which a pass keeps the lowest byte as it was."""
    found = {}
    for place, step in steps.items():
        if step is None and place[0] == "register" and is_number(place, get(state, place)):
            byte, *others = {wide.lowest_byte(get(each, place)) for each in [*(state.entered or [state]), *again]}
            if byte is not None and not others:
                found[place] = Byte(byte)
    return found


def _copies(state, start, again, steps):
    """{place: Same} of numbers of 64 bits of which there are two, in the entered states and after a pass from there."""
    def alike(place, other):
        return all(number_at(each, place) == number_at(each, other) for each in state.entered or [state]) and all(
            number_at(end, place) == number_at(end, other) or
            number_at(end, place) == number_at(start, place) and number_at(end, other) == number_at(start, other) for end in again)

    found = {}
    irregular = [place for place, step in steps.items() if step is None and isinstance(number_at(start, place), wide.Wide) and
                 isinstance(number_at((state.entered or [state])[0], place), wide.Wide)]
    for place, other in itertools.combinations(irregular, 2):
        if other not in found and place not in found and alike(place, other):
            found[other] = Same(place)
    return found


def formulas(state, again, steps, index):
    """{place: Formula} of what a pass sets to values that depend on nothing but the number of passes, as did the one before."""
    found = {}
    for place, value in _agreed(again, steps).items():
        formula = Formula(_later(place, value, index, {index: 1}, terms.MASK))
        if before_first_pass(state, place, formula, index) == get(state, place):
            found[place] = formula
    return found


def terms_in(place, value):
    number = value if place[0] == "register" else value[1]
    if isinstance(number, int):
        return [number]
    return {term for term, _ in number} if isinstance(number, tuple) and number[0] != "return" and not isinstance(
        number, wide.Wide) else []


def renewed(steps, index):
    """Steps that were found at another time, for a loop whose number of passes has the name `index` now."""
    words = {terms.node(step.atom)[1:]: terms.atom("carried", index, terms.node(step.atom)[3]) for step in steps.values()
             if isinstance(step, Free)}
    found = {}
    for place, step in steps.items():
        if isinstance(step, Formula):
            step = None
        elif isinstance(step, Free):
            step = step._replace(atom=words[terms.node(step.atom)[1:]])
        elif isinstance(step, Related):
            step = Related(replaced(place, step.value, words),
                           tuple((words[terms.node(word)[1:]], where) for word, where in step.places))
        found[place] = step
    return found


def insert_known_number(end, index):
    """Where a loop has been left because a place in memory was reached, the number of its passes is known."""
    for asked, truth in end.decisions.items():
        apart = wide.sub(asked[1], asked[2]) if truth and asked[0] == "equal" else None
        if isinstance(apart, wide.Wide) and [part[0] for part in apart.parts] == [(("index", index),)]:
            factor = apart.parts[0][1]
            number, rest = divmod(-apart.constant & wide.MASK, factor)
            if rest:
                number, rest = divmod(apart.constant, -factor & wide.MASK)
            if rest == 0:
                _insert(end, index, number)
                return


def _insert(end, index, number):
    name = ("low", "index", index)
    for place in [each for each in places(end) if not is_of_pass(each, index)]:
        value = get(end, place)
        held = value if place[0] == "register" else value[1]
        if isinstance(held, wide.Wide):
            parts = [(monomial, factor) for monomial, factor in held.parts if monomial == (("index", index),)]
            too_few = wide.sub(wide.const(number), wide.atom("index", index))
            held = wide.add(held, wide.scale(too_few, parts[0][1])) if parts else held
        elif isinstance(held, int) or isinstance(held, tuple) and held[0] != "return":
            terms_of = [held] if isinstance(held, int) else [term for term, _ in held]
            if any(name in walks.atoms_of(term) for term in terms_of):
                held = for_pass(held, {index: (number, {})})
        put(end, place, held if place[0] == "register" else (value[0], held))


def _depends_on_inputs(value):
    if isinstance(value, wide.Wide) or not isinstance(value, (int, tuple)) or isinstance(value, tuple) and value[0] == "return":
        return False
    return all(map(is_of_inputs, [value] if isinstance(value, int) else [term for term, _ in value]))
