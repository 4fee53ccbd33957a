"""Walks through terms: their value for numbers, what they are made of, and other terms in place of atoms."""
import functools

import terms


@functools.cache
def _parts(term):
    """The terms that a term is made of."""
    what = terms.node(term)
    if what[0] == "atom":
        return [what[-1]] if what[1] == "of" else []
    if what[0] == "sum":
        return [each for each, _ in what[2]]
    return [each for product, _ in what[1] for each, _ in product]


def _bottom_up(term, known, compute):
    """known[term]; compute(term, node) gives what is missing, after that of the terms below."""
    pending = [term]
    while pending:
        top = pending[-1]
        if top in known:
            pending.pop()
            continue
        missing = [each for each in _parts(top) if each not in known]
        if missing:
            pending += missing
        else:
            known[top] = compute(top, terms.node(top))
    return known[term]


def evaluate(term, atoms):
    """The number that a term is when atoms(name) gives the atoms' numbers."""
    known = {}
    return _bottom_up(term, known, lambda term, what: _evaluate_node(term, what, atoms, known))


def _evaluate_node(term, what, atoms, known):
    if what[0] == "atom":
        return atoms(what[1:]) & terms.possible(term)
    if what[0] == "sum":
        return (what[1] + sum(known[each] * factor for each, factor in what[2])) & terms.MASK
    total = 0
    for product, mask in what[1]:
        for each, rotation in product:
            mask &= terms.rotate_number(known[each], rotation)
        total ^= mask
    return total


def below(term):
    """All terms that a term is made of, itself among them."""
    known = {}
    _bottom_up(term, known, lambda *_: None)
    return known.keys()


def atoms_of(term):
    """The names of all atoms below a term."""
    return {terms.node(each)[1:] for each in below(term) if terms.node(each)[0] == "atom"}


def replace(term, atoms, known):
    """A term with atoms replaced by terms: {name: term}. A name that begins with "of" ends with a term of its own.

    `known` keeps results between calls with the same atoms.
    """
    def compute(term, what):
        if what[1:] not in atoms and all(known[each] == each for each in _parts(term)):
            return term
        return _replace_in_node(term, what, atoms, known)
    return _bottom_up(term, known, compute)


def _replace_in_node(term, what, atoms, known):
    if what[0] == "atom":
        other = atoms.get(what[1:])
        return terms.atom_under(terms.possible(term), *what[1:-1], known[what[-1]]) if other is None else other
    if what[0] == "sum":
        return terms.combination(what[1], [(known[each], factor) for each, factor in what[2]])
    total = []
    for product, mask in what[1]:
        factor = terms.const(mask)
        for each, rotation in product:
            factor = terms.and_(factor, terms.rotr(known[each], rotation))
        total.append(factor)
    return terms.xor(*total)
