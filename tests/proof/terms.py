"""Canonical terms of 32-bit words: equal terms are equal functions of their atoms.

A term is a number; node() says what it stands for:
- an atom: an unknown word, or a function that is not looked into;
- a sum: a constant and a linear combination of other terms, modulo 2^32;
- an exclusive-or of products (bitwise ANDs) of rotated atoms and sums, each under a constant mask.

Each operation returns a term that is equal to the operation's result for all values of the atoms: sums are collected
modulo 2^32, and products by the rules of the Boolean ring, bit by bit (x & x = x, x ^ x = 0, & distributes over ^). A
shift is a rotation under a mask, so that two shifts put together by `or` become the rotation they are. Adding 2^31 and
exclusive-or with 2^31 are the same function; the exclusive-or is written as the sum. So what is found equal is equal;
two spellings of one function that these rules do not connect stay different, and their proof fails. (Operations
remember their results, so that many programs that do nearly the same cost little more than one.)
"""
import functools

MASK, TOP = 0xffffffff, 0x80000000
_NO_FACTOR = frozenset()
_numbers = {}
_nodes = []


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
    if what[0] == "sum":
        return what[1], dict(what[2])
    if what[0] == "bits":
        bits = dict(what[1])
        constant = bits.get(_NO_FACTOR, 0)
        if constant & TOP:
            bits[_NO_FACTOR] = constant ^ TOP
            rest, factors = summands(_bits(bits))
            return (rest + TOP) & MASK, factors
    return 0, {term: 1}


@functools.cache
def add(*terms):
    constant, total = 0, {}
    for term in terms:
        part, factors = summands(term)
        constant += part
        for each, factor in factors.items():
            total[each] = total.get(each, 0) + factor
    return _sum(constant, total)


@functools.cache
def scale(term, factor):
    if factor == 1:
        return term
    constant, factors = summands(term)
    return _sum(constant * factor, {each: each_factor * factor for each, each_factor in factors.items()})


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
    return {frozenset([(term, 0)]): MASK}


def _xor_of(*all_products):
    total = {}
    for products in all_products:
        for product, mask in products.items():
            total[product] = total.get(product, 0) ^ mask
    return {product: mask for product, mask in total.items() if mask}


def _bits(products):
    products = {product: mask for product, mask in products.items() if mask}
    constant = products.get(_NO_FACTOR, 0)
    if len(products) == (1 if constant else 0):
        return const(constant)
    if len(products) == (2 if constant else 1) and constant in (0, TOP):
        (product, mask), = ((p, m) for p, m in products.items() if p)
        if mask == MASK and len(product) == 1:
            (term, rotation), = product
            if rotation == 0:
                return add(term, const(constant)) if constant else term
    return _intern(("bits", frozenset(products.items())))


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
