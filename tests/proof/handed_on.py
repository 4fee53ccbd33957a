"""What a pass of a loop leaves for the next one, where it is no step: functions of the number of passes or of other words."""
from typing import NamedTuple

import terms
import wide
from memory import for_pass, is_of_inputs
from state import get, is_of_pass, number_at, places, put


class Formula(NamedTuple):
    """In place of a step: what is there before a pass, as a function of the number of passes."""
    value: object


class Free(NamedTuple):
    """In place of a step: a word that is any number before a pass."""
    atom: int


class Related(NamedTuple):
    """In place of a step: a function of free words."""
    value: object
    places: tuple  # of these words


def _later(place, value, index, passes, more):
    """What a place holds with another number of passes: `passes` + `more`."""
    number = value if place[0] == "register" else value[1]
    number = for_pass(number, {index: (more, passes)})
    return number if place[0] == "register" else (value[0], number)


def before_first_pass(state, place, step, index):
    """What a formula or a relation says is in a place before the first pass."""
    if isinstance(step, Formula):
        return _later(place, step.value, index, {}, 0)
    return _related(state, place, step)


def _related(state, place, step):
    words = {terms.node(word)[1:]: number_at(state, where) for word, where in step.places}
    if not all(isinstance(word, int) for word in words.values()):
        return None
    return _replaced(place, step.value, words)


def _replaced(place, value, words):
    number = value if place[0] == "register" else value[1]
    if isinstance(number, int):
        number = terms.replace(number, words, {})
    else:
        known = {}
        number = tuple((terms.replace(term, words, known), lane) for term, lane in number)
    return number if place[0] == "register" else (value[0], number)


def fits(start, end, place, step, index):
    """Whether a pass has led to what a formula or a relation says."""
    if isinstance(step, Free):
        return isinstance(number_at(end, place), int)
    if isinstance(step, Formula):
        return get(end, place) == _later(place, step.value, index, {index: 1}, 1)
    return get(end, place) == _related(end, place, step)


def _agreed(again, steps):
    """{place: value} of what all ends of a pass have in common, of places that change in no known way."""
    found = {}
    for place, step in steps.items():
        values = {get(end, place) for end in again} if step is None else {None}
        if place[0] != "array" and len(values) == 1 and None not in values:
            value, = values
            if _depends_on_inputs(value if place[0] == "register" else value[1]):
                found[place] = value
    return found


def formulas(state, again, steps, index):
    """{place: Formula} of what a pass sets to values that depend on nothing but the number of passes, as did the one before."""
    found = {}
    for place, value in _agreed(again, steps).items():
        formula = Formula(_later(place, value, index, {index: 1}, terms.MASK))
        if before_first_pass(state, place, formula, index) == get(state, place):
            found[place] = formula
    return found


def relations(state, again, steps, index):
    """{place: Free or Related}: a nonce and a version, of which others are functions, whatever they are."""
    agreed = _agreed(again, steps)
    words = _words_after(again, steps)
    hashed = set().union(*(terms.below(term) for place, value in agreed.items() if place not in words
                           for term, _ in (value if place[0] == "register" else value[1])))
    for nonce_place, nonce in words.items():
        for version_place, version in words.items():
            free = {place: terms.atom("carried", index, name) for place, name in
                    ((nonce_place, "nonce"), (version_place, "version"))}
            atoms = _in_terms_of(nonce, version, *free.values()) if len(free) == 2 and nonce in hashed else None
            found = {}
            for place, value in agreed.items() if atoms else ():
                if place not in words:
                    related = Related(_replaced(place, value, atoms), tuple((word, where) for where, word in free.items()))
                    if not _counts_passes(place, related.value) and _related(state, place, related) == get(state, place):
                        found[place] = related
            if found:
                return found | {place: Free(word) for place, word in free.items()}
    return {}


def _words_after(again, steps):
    """{place: word} at all ends of a pass, first those that change in no known way."""
    found = []
    for place, step in steps.items():
        values = {number_at(end, place) for end in again} if place[0] != "array" and step != 0 else {None}
        word = values.pop()
        if not values and isinstance(word, int) and is_of_inputs(word):
            found.append((step is not None, repr(place), place, word))
    return {place: word for *_, place, word in sorted(found)}


def _in_terms_of(nonce, version, free_nonce, free_version):
    """Replacements of the first nonce and of a count of versions by two free words; None if the two are something else."""
    _, of_nonce = terms.summands(nonce)
    constant, of_version = terms.summands(version)
    first = terms.atom("first nonce")
    if of_nonce.get(first) != 1 or len(of_version) != 1 or set(of_version.values()) != {1}:
        return None
    counted, = of_version
    if terms.node(counted)[:3] != ("atom", "low", "index"):
        return None
    return {("first nonce",): terms.sub(free_nonce, terms.sub(nonce, first)),
            terms.node(counted)[1:]: terms.sub(free_version, terms.const(constant))}


def renewed(steps, index):
    """Steps that were found at another time, for a loop whose number of passes has the name `index` now."""
    words = {terms.node(step.atom)[1:]: terms.atom("carried", index, terms.node(step.atom)[3]) for step in steps.values()
             if isinstance(step, Free)}
    found = {}
    for place, step in steps.items():
        if isinstance(step, Formula):
            step = None
        elif isinstance(step, Free):
            step = Free(words[terms.node(step.atom)[1:]])
        elif isinstance(step, Related):
            step = Related(_replaced(place, step.value, words),
                           tuple((words[terms.node(word)[1:]], where) for word, where in step.places))
        found[place] = step
    return found


def _counts_passes(place, value):
    number = value if place[0] == "register" else value[1]
    return any(name[:2] == ("low", "index") for term, _ in number for name in terms.atoms_of(term))


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
            if any(name in terms.atoms_of(term) for term in terms_of):
                held = for_pass(held, {index: (number, {})})
        put(end, place, held if place[0] == "register" else (value[0], held))


def _depends_on_inputs(value):
    if isinstance(value, wide.Wide) or not isinstance(value, (int, tuple)) or isinstance(value, tuple) and value[0] == "return":
        return False
    return all(map(is_of_inputs, [value] if isinstance(value, int) else [term for term, _ in value]))
