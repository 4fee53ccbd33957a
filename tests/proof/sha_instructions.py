"""The SHA instructions of x86 and of ARM64, as Intel's and Arm's manuals define them, on words: four to a register, the lowest
first.
"""
import terms


def _rotated(x, *numbers):
    return terms.xor(*(terms.rotr(x, number) for number in numbers))


def _sigma0(w):
    return terms.xor(_rotated(w, 7, 18), terms.shr(w, 3))


def _sigma1(w):
    return terms.xor(_rotated(w, 17, 19), terms.shr(w, 10))


def _round(state, k_plus_w):
    a, b, c, d, e, f, g, h = state
    t1 = terms.add(h, _rotated(e, 6, 11, 25), terms.ch(e, f, g), k_plus_w)
    return terms.add(t1, _rotated(a, 2, 13, 22), terms.maj(a, b, c)), a, b, c, terms.add(d, t1), e, f, g


def _rnds2(cdgh, abef, k_plus_w):
    (h, g, d, c), (f, e, b, a) = cdgh, abef
    a, b, _, _, e, f, _, _ = _round(_round((a, b, c, d, e, f, g, h), k_plus_w[0]), k_plus_w[1])
    return f, e, b, a


def _msg1(w0_3, w4_7):
    return tuple(terms.add(w, _sigma0(following)) for w, following in zip(w0_3, (*w0_3[1:], w4_7[0])))


def _msg2(begun, w12_15):
    w16 = terms.add(begun[0], _sigma1(w12_15[2]))
    w17 = terms.add(begun[1], _sigma1(w12_15[3]))
    return w16, w17, terms.add(begun[2], _sigma1(w16)), terms.add(begun[3], _sigma1(w17))


def _hash(abcd, efgh, k_plus_w):
    """SHA256hash() of the Arm manual: four rounds."""
    state = (*abcd, *efgh)
    for word in k_plus_w:
        state = _round(state, word)
    return state


def _su1(begun, w8_11, w12_15):
    """What _msg2() adds to, W9 to W12, is a part of it."""
    return _msg2([terms.add(*each) for each in zip(begun, (*w8_11[1:], w12_15[0]))], w12_15)


SHA = {"sha256rnds2": _rnds2, "sha256msg1": _msg1, "sha256msg2": _msg2,
       "sha256h": lambda abcd, efgh, k_plus_w: _hash(abcd, efgh, k_plus_w)[:4],
       "sha256h2": lambda efgh, abcd, k_plus_w: _hash(abcd, efgh, k_plus_w)[4:],
       "sha256su0": _msg1, "sha256su1": _su1}
