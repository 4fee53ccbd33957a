"""SHA-256 as FIPS 180-4 writes it, over any words, with constants computed from their definition.

It shares nothing with kernel/. `ops` has const, add, xor, rotr, shr, ch and maj: the module terms, or Numbers.
"""

_MASK = 0xffffffff
_TOP_BIT = 0x80000000


class Numbers:
    """Plain numbers, so that the text can be compared with another implementation."""
    const = staticmethod(lambda number: number)
    add = staticmethod(lambda *words: sum(words) & _MASK)
    rotr = staticmethod(lambda x, n: (x >> n | x << (32 - n)) & _MASK)
    shr = staticmethod(lambda x, n: x >> n)
    ch = staticmethod(lambda x, y, z: (x & y) ^ (~x & z))
    maj = staticmethod(lambda x, y, z: (x & y) ^ (x & z) ^ (y & z))

    @staticmethod
    def xor(*words):
        total = 0
        for word in words:
            total ^= word
        return total


def primes(how_many):
    found = []
    candidate = 2
    while len(found) < how_many:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


def _root(number, degree):
    """The integer part of a root."""
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle ** degree <= number:
            low = middle
        else:
            high = middle - 1
    return low


# The first 32 bits of the fractional parts of the cube roots of 64 primes, and of the square roots of eight.
K = tuple(_root(prime << 96, 3) & _MASK for prime in primes(64))
INITIAL_STATE = tuple(_root(prime << 64, 2) & _MASK for prime in primes(8))


def schedule(ops, message):
    w = list(message)
    for t in range(16, 64):
        x, y = w[t - 15], w[t - 2]
        small_sigma0 = ops.xor(ops.rotr(x, 7), ops.rotr(x, 18), ops.shr(x, 3))
        small_sigma1 = ops.xor(ops.rotr(y, 17), ops.rotr(y, 19), ops.shr(y, 10))
        w.append(ops.add(small_sigma1, w[t - 7], small_sigma0, w[t - 16]))
    return w


def compress(ops, state, message, constants=K):
    """One block: eight words of state, sixteen of the message."""
    w = schedule(ops, message)
    a, b, c, d, e, f, g, h = state
    for t in range(64):
        sigma1 = ops.xor(ops.rotr(e, 6), ops.rotr(e, 11), ops.rotr(e, 25))
        sigma0 = ops.xor(ops.rotr(a, 2), ops.rotr(a, 13), ops.rotr(a, 22))
        t1 = ops.add(h, sigma1, ops.ch(e, f, g), ops.const(constants[t]), w[t])
        t2 = ops.add(sigma0, ops.maj(a, b, c))
        a, b, c, d, e, f, g, h = ops.add(t1, t2), a, b, c, ops.add(d, t1), e, f, g
    return [ops.add(x, y) for x, y in zip(state, (a, b, c, d, e, f, g, h))]


def padded(ops, words, bits):
    """The last block of a message of `bits` bits that ends with `words`."""
    zeros = 16 - len(words) - 2
    return list(words) + [ops.const(_TOP_BIT)] + [ops.const(0)] * zeros + [ops.const(bits)]


def initial_state(ops):
    return [ops.const(word) for word in INITIAL_STATE]


def sha256_of_digest(ops, digest, constants=K):
    return compress(ops, initial_state(ops), padded(ops, digest, 256), constants)


def digest_of_header(ops, midstate, tail, nonce, constants=K):
    """The first hash of an 80-byte header: the state after its first 64 bytes, and the other 16 as words."""
    return compress(ops, midstate, padded(ops, list(tail) + [nonce], 640), constants)


def double_sha256_of_64_bytes(ops, message):
    state = compress(ops, initial_state(ops), message)
    return sha256_of_digest(ops, compress(ops, state, padded(ops, [], 512)))
