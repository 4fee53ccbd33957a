"""Canonical terms of 32-bit words: equal terms are equal functions of their atoms.

A term is a number; node() says what it stands for:
- an atom: an unknown word, or a function that is not looked into;
- a sum: a constant and a linear combination of other terms, modulo 2^32;
- an exclusive-or of products (bitwise ANDs) of rotated atoms and sums, each under a constant mask.

Each operation returns a term that is equal to the operation's result for all values of the atoms: sums are collected
modulo 2^32, and products by the rules of the Boolean ring, bit by bit (x & x = x, x ^ x = 0, & distributes over ^). A
shift is a rotation under a mask, so that two shifts put together by `or` become the rotation they are. The exclusive-or
of words that have no possible bit in common is their sum, and so is that with 2^31: of whole words (not rotated, and not
under a mask that takes anything away) it is written as the sum, and where such a sum is rotated or masked, it is taken as
the exclusive-or. So what is found equal is equal; two spellings of one function that these rules do not connect stay
different, and their proof fails. (Operations remember their results, so that many programs that do nearly the same cost
little more than one.)
"""
import functools
import operator

MASK, TOP = 0xffffffff, 0x80000000
_NO_FACTOR = frozenset()
_numbers = {}
_nodes = []
_bounds = {}  # of atoms that do not have all bits


def _intern(node):
    number = _numbers.get(node)
    if number is None:
        number = _numbers[node] = len(_nodes)
        _nodes.append(node)
    return number


def node(term):
    """("atom", …), ("sum", constant, {(term, factor)}) or ("bits", {(product, mask)})."""
    return _nodes[term]


def atom(*name):
    return _intern(("atom", *name))


def atom_under(mask, *name):
    """An unknown word that has no bits outside of a mask, always the same one for that name."""
    term = atom(*name)
    if _bounds.setdefault(term, mask) != mask:
        raise ValueError(f"two masks of {name}")
    return term


def const(number):
    return _sum(number, {})


def value(term):
    """The number that a term is, or None."""
    what = _nodes[term]
    return what[1] if what[0] == "sum" and not what[2] else None


def rotate_number(number, bits):
    return ((number >> bits) | (number << (32 - bits))) & MASK if bits else number


def _sum(constant, factors):
    factors = {term: factor & MASK for term, factor in factors.items() if factor & MASK}
    constant &= MASK
    if constant == 0 and len(factors) == 1:
        (term, factor), = factors.items()
        if factor == 1:
            return term
    return _intern(("sum", constant, frozenset(factors.items())))


def summands(term):
    """A term as a constant and {term: factor}."""
    what = _nodes[term]
    return (what[1], dict(what[2])) if what[0] == "sum" else (0, {term: 1})


@functools.cache
def possible(term):
    """The bits that a term may have."""
    what = _nodes[term]
    if what[0] == "atom":
        return _bounds.get(term, MASK)
    return _union(mask for mask, _ in _apart(term)) if what[0] == "sum" else _union(mask for _, mask in what[1])


def _union(masks):
    return functools.reduce(operator.or_, masks, 0)


def _from_lowest(mask):
    """All bits from the lowest one of a mask on: those that a sum of such words may have."""
    return -(mask & -mask) & MASK


@functools.cache
def _apart(total):
    """A sum as terms that have no possible bit in common, so that nothing is carried from one into another: [(mask, term)]."""
    number, summed = summands(total)
    groups = [(number, number, {})] if number else []
    for term, factor in summed.items():
        mask = possible(term) if factor == 1 else _from_lowest(possible(term)) * (factor & -factor) & MASK
        if mask == MASK:
            return [(MASK, total)]
        constant, factors = 0, {term: factor}
        while met := [group for group in groups if group[0] & mask]:
            groups = [group for group in groups if group not in met]
            mask = _from_lowest(mask | _union(group[0] for group in met))
            constant += sum(group[1] for group in met)
            factors = functools.reduce(operator.or_, (group[2] for group in met), factors)
        groups.append((mask, constant, factors))
    return [(mask, _sum(constant, factors)) for mask, constant, factors in groups]


def combination(constant, parts):
    """constant + term · factor for each (term, factor)."""
    total = {}
    for term, by in parts:
        part, factors = summands(term)
        constant += part * by
        for each, factor in factors.items():
            total[each] = total.get(each, 0) + factor * by
    return _sum(constant, total)


@functools.cache
def add(*terms):
    return combination(0, [(term, 1) for term in terms])


@functools.cache
def scale(term, factor):
    return combination(0, [(term, factor)])


def sub(x, y):
    return add(x, scale(y, MASK))


def _products(term):
    """A term as {product: mask}; a product is a set of (atom or sum, rotation)."""
    what = _nodes[term]
    if what[0] == "bits":
        return dict(what[1])
    if what[0] == "sum":
        if not what[2]:
            return {_NO_FACTOR: what[1]} if what[1] else {}
        if what[1] & TOP:
            return _xor_of({_NO_FACTOR: TOP}, _products(_sum(what[1] ^ TOP, dict(what[2]))))
        apart = _apart(term)
        if len(apart) > 1:
            return _xor_of(*(_products(part) for _, part in apart))
    return {frozenset([(term, 0)]): MASK}


def _xor_of(*all_products):
    total = {}
    for products in all_products:
        for product, mask in products.items():
            total[product] = total.get(product, 0) ^ mask
    return {product: mask for product, mask in total.items() if mask}


@functools.cache
def _possible_in(product):
    mask = MASK
    for term, rotation in product:
        mask &= rotate_number(possible(term), rotation)
    return mask


def _bits(products):
    """The exclusive-or of products, as one term: {product: mask}."""
    products = {product: possible_mask for product, mask in products.items() if (possible_mask := mask & _possible_in(product))}
    constant = products.pop(_NO_FACTOR, 0)
    several = seen = 0  # the bits of several products
    for mask in products.values():
        several |= seen & mask
        seen |= mask
    added = constant & (~seen | TOP)
    whole = [_whole_word(*each) for each in products.items() if not each[1] & (several | constant ^ added)]
    whole = [term for term in whole if term is not None and (len(products) == 1 or not summands(term)[0])]
    for term in whole:
        del products[frozenset([(term, 0)])]
    if constant != added:
        products[_NO_FACTOR] = constant ^ added
    if products:
        whole.append(_intern(("bits", frozenset(products.items()))))
    return add(const(added), *whole)


def _whole_word(product, mask):
    """The term that a product under a mask is; None if it is anything else."""
    (term, rotation), *others = product
    return term if not others and not rotation and mask == possible(term) else None


@functools.cache
def xor(*terms):
    return _bits(_xor_of(*map(_products, terms)))


@functools.cache
def and_(x, y):
    total = {}
    others = _products(y).items()
    for product, mask in _products(x).items():
        for other, other_mask in others:
            if mask & other_mask:
                both = product | other
                total[both] = total.get(both, 0) ^ (mask & other_mask)
    return _bits(total)


def or_(x, y):
    return xor(x, y, and_(x, y))


def not_(x):
    return xor(x, const(MASK))


@functools.cache
def rotr(x, bits):
    return _bits({frozenset((term, (rotation + bits) % 32) for term, rotation in product): rotate_number(mask, bits % 32)
                  for product, mask in _products(x).items()})


def shr(x, bits):
    return and_(rotr(x, bits), const(MASK >> bits))


def shl(x, bits):
    return and_(rotr(x, 32 - bits), const(MASK << bits))


def ch(x, y, z):
    return xor(z, and_(x, xor(y, z)))


def maj(x, y, z):
    return xor(and_(x, y), and_(x, z), and_(y, z))


@functools.cache
def bswap(x):
    return xor(and_(rotr(x, 8), const(0xff00ff00)), and_(rotr(x, 24), const(0x00ff00ff)))


@functools.cache
def combine(table, x, y, z):
    """The function of three bits with this truth table: bit 4·x + 2·y + z of `table`, for each bit (Intel: VPTERNLOG)."""
    total = []
    for inputs in range(8):
        # The coefficient of a product in the Boolean ring: the sum of the table over all subsets of its factors.
        chosen = [table >> subset & 1 for subset in range(8) if subset & inputs == subset]
        if sum(chosen) % 2:
            product = const(MASK)
            for bit, term in ((4, x), (2, y), (1, z)):
                if inputs & bit:
                    product = and_(product, term)
            total.append(product)
    return xor(*total)
