"""Words that passes of a loop hand on, as of a nonce and a version, and what are functions of these."""
import itertools

import terms
import walks
from handed_on import UNKNOWN_WORDS, Free, Related, related, replaced, terms_in
from memory import is_of_inputs
from state import get, number_at, word_at

_FIRST = terms.atom("first nonce")
_FIRST_NAME = terms.node(_FIRST)[1:]


def relations(state, start, again, steps, index, fewest):
    """{place: Free or Related}: words, as of a nonce and a version, of which others are functions, whatever they are.

    `start`: what is there before the pass that has led to `again`, where `state` has been entered; `fewest`: words of a function.
    """
    words = _Words(start, again, steps, index)
    found = {}
    for place, step in steps.items():
        if step is None and place[0] != "array" and place not in words.after:
            relation = words.relation(state, place, fewest)
            if relation:
                found |= {place: relation, **{where: _free(word, where, (state.entered or [state]) + again)
                                             for word, where in relation.places}}
    return found


def _free(word, place, states):
    return Free(word, not all(isinstance(number_at(each, place), int) for each in states))


class _Words:
    """The words that a pass changes, and what it makes of them."""

    def __init__(self, start, again, steps, index):
        self._start, self._again, self._index = start, again, index
        self._own = {}  # by place of a word: the atom that it is before the pass
        found = []
        for place, step in steps.items():
            after = [word_at(end, place) for end in again] if place[0] != "array" and step != 0 else [None]
            if None not in after:
                found.append((not isinstance(step, Free), not isinstance(step, UNKNOWN_WORDS), repr(place), place, after))
        self.after = {place: after for *_, place, after in sorted(found)}  # first those that change in no known way
        for place in self.after:
            before = word_at(start, place)
            if before is not None and isinstance(steps[place], UNKNOWN_WORDS):
                self._own[place] = before
        values = {term for place, step in steps.items() if step is None and place not in self.after and get(again[0], place)
                  for term in terms_in(place, get(again[0], place))}
        self._used = set().union(*map(walks.below, values))
        self._own_names = {terms.node(word)[1:] for word in self._own.values()}
        self._chosen = []  # places of words of which something has been found to be a function

    def relation(self, state, place, fewest):
        """A place's value as a function of words in other places, as it is at all ends of the pass and in the entered states."""
        ends = range(len(self._again))
        changed = [at for at in ends if get(self._again[at], place) != get(self._start, place)]
        if not changed or any(get(self._again[at], place) is None for at in changed):
            return None
        first = changed[0]
        value = get(self._again[first], place)
        below = set().union(*map(walks.below, terms_in(place, value)))
        names = {terms.node(term)[1:] for term in below if terms.node(term)[0] == "atom"}
        if not names or not all(name in self._own_names or name[0] == "of" or is_of_inputs(terms.atom(*name)) for name in names):
            return None
        entered = state.entered or [state]
        for places_ in self._candidates(first, names, fewest):
            relation = self._in_terms_of(place, value, first, places_)
            if relation and all(self._holds(relation, place, at) for at in ends) and all(
                    get(each, place) == related(each, place, relation) for each in entered):
                if places_ not in self._chosen:
                    self._chosen.insert(0, places_)
                return relation
        return None

    def _candidates(self, end, names, fewest):
        """Places of one word or of two that have different atoms of a value in them; first those of words that are used."""
        yield from self._chosen
        pivots = {place: self._pivot(after[end]) for place, after in self.after.items()}
        places_ = sorted((place for place, pivot in pivots.items() if pivot in names),
                         key=lambda place: self.after[place][end] not in self._used)
        yield from ((place,) for place in places_ if fewest == 1)
        yield from (pair for pair in itertools.combinations(places_, 2) if pivots[pair[0]] != pivots[pair[1]])

    @staticmethod
    def _pivot(word):
        """The name of the atom that a word is but for what is added to it; None if it is no such word."""
        _, factors = terms.summands(word)
        if factors.get(_FIRST) == 1:
            return _FIRST_NAME
        names = [terms.node(part)[1:] for part, factor in factors.items() if factor == 1 and terms.node(part)[0] == "atom"]
        return names[0] if len(factors) == len(names) == 1 else None

    def _in_terms_of(self, place, value, end, places_):
        """A value as a function of the words in some places; None if it is also one of anything else that changes."""
        free = {where: terms.atom("carried", self._index, number) for where, number in zip(places_, map(repr, places_))}
        words = {}
        for where, word in free.items():
            after = self.after[where][end]
            pivot = self._pivot(after)
            if pivot is None:
                return None
            words[pivot] = terms.sub(word, terms.sub(after, terms.atom(*pivot)))
        relation = Related(replaced(place, value, words), tuple((word, where) for where, word in free.items()))
        names = set().union(*map(walks.atoms_of, terms_in(place, relation.value)))
        kept = {terms.node(word)[1:] for word in free.values()}
        changing = {name for name in names - kept if name in self._own_names or name[:2] == ("low", "index") or
                    name[:2] == ("carried", self._index)}
        return None if changing or not kept <= names else relation

    def _holds(self, relation, place, end):
        """Whether that is so at an end of the pass; where it has not changed the place, if it was so before."""
        if get(self._again[end], place) == get(self._start, place):
            return all(self._own.get(where) == self.after[where][end] for _, where in relation.places)
        return get(self._again[end], place) == related(self._again[end], place, relation)
