#!/usr/bin/env python3
"""Tests of the terms, the textbook and the reader of printed programs: against numbers, hashlib, and corrupted programs."""
import hashlib
import random
import struct
import sys
import types
import unittest

import conditions
import fips180
import forms
import header
import program
import ptx
import terms
import walks
import wide

BUILD = sys.argv.pop(1)


class Terms(unittest.TestCase):
    def test_every_operation_is_its_function(self):
        """Random expressions: the canonical term has the value that plain numbers give."""
        rng = random.Random(1)
        numbers = fips180.Numbers
        mask = terms.MASK
        shapes = [
            (2, terms.add, numbers.add), (2, terms.sub, lambda x, y: (x - y) & mask), (2, terms.xor, numbers.xor),
            (2, terms.and_, lambda x, y: x & y), (2, terms.or_, lambda x, y: x | y),
            (2, ptx.add_disjoint, numbers.add), (1, terms.not_, lambda x: x ^ mask),
            (3, terms.ch, numbers.ch), (3, terms.maj, numbers.maj),
            (1, terms.bswap, lambda x: int.from_bytes(x.to_bytes(4, "big"), "little"))]
        for n in (1, 7, 31):
            shapes += [(1, lambda x, n=n: terms.rotr(x, n), lambda x, n=n: numbers.rotr(x, n)),
                       (1, lambda x, n=n: terms.shr(x, n), lambda x, n=n: x >> n),
                       (1, lambda x, n=n: terms.shl(x, n), lambda x, n=n: x << n & mask)]
        for constant in (3, terms.TOP, mask):
            shapes += [(1, lambda x, c=constant: terms.add(x, terms.const(c)), lambda x, c=constant: (x + c) & mask),
                       (1, lambda x, c=constant: terms.xor(x, terms.const(c)), lambda x, c=constant: x ^ c),
                       (1, lambda x, c=constant: terms.and_(x, terms.const(c)), lambda x, c=constant: x & c),
                       (1, lambda x, c=constant: terms.scale(x, c), lambda x, c=constant: x * c & mask)]
        for _ in range(60):
            bounds = {("word", f"{i}"): mask for i in range(4)} | {("part", f"{part:x}"): part for part in (-16 & mask, 0x0f000000, 7)}
            values = {name: rng.choice([rng.getrandbits(32), terms.TOP, mask, 0]) & bound for name, bound in bounds.items()}
            pairs = [(terms.atom_under(bounds[name], *name), number) for name, number in values.items()]
            for _ in range(9):
                arity, on_terms, on_numbers = rng.choice(shapes)
                chosen = [rng.choice(pairs) for _ in range(arity)]
                if all(len(terms.node(term)[-1]) < 20 for term, _ in chosen):
                    pairs.append((on_terms(*(term for term, _ in chosen)), on_numbers(*(n for _, n in chosen))))
            for term, number in pairs:
                self.assertEqual(walks.evaluate(term, values.get), number)
                self.assertEqual(number & ~terms.possible(term), 0)

    def test_spellings_of_a_function_are_one_term(self):
        x, y, z = (terms.atom(name) for name in "xyz")
        self.assertEqual(terms.or_(terms.shr(x, 7), terms.shl(x, 25)), terms.rotr(x, 7))
        self.assertEqual(ptx.add_disjoint(terms.shr(x, 7), terms.shl(x, 25)), terms.rotr(x, 7))
        self.assertEqual(terms.xor(y, terms.and_(terms.xor(x, y), terms.xor(y, z))), terms.maj(x, y, z))
        self.assertEqual(terms.or_(terms.and_(x, y), terms.and_(terms.not_(x), z)), terms.ch(x, y, z))
        self.assertEqual(terms.add(x, terms.const(terms.TOP)), terms.xor(x, terms.const(terms.TOP)))
        self.assertEqual(terms.bswap(terms.bswap(x)), x)

    def test_words_without_a_common_bit_are_added_as_they_are_put_together(self):
        base = terms.add(terms.and_(terms.atom("first"), terms.const(-8)), terms.scale(terms.atom("passes"), 8))
        lane = terms.atom_under(7 << 24, "lane")
        word = terms.bswap(base)
        self.assertEqual(terms.possible(base), -8 & terms.MASK)
        for combined in (terms.or_(word, lane), terms.xor(word, lane)):
            self.assertEqual(combined, terms.add(word, lane))
        self.assertEqual(terms.sub(terms.or_(word, lane), lane), word)
        for bits in (3, 7, 18):
            self.assertEqual(terms.or_(terms.rotr(word, bits), terms.rotr(lane, bits)), terms.rotr(terms.add(word, lane), bits))
        self.assertEqual(terms.bswap(terms.or_(base, terms.const(5))), terms.or_(word, terms.const(5 << 24)))
        self.assertEqual(terms.and_(terms.add(base, terms.const(5)), terms.const(7)), terms.const(5))

    def test_words_with_a_common_bit_are_not(self):
        lane, other = terms.atom_under(7 << 24, "lane"), terms.atom_under(15 << 24, "other lane")
        for x, y in ((lane, other), (lane, terms.atom("x")), (lane, terms.const(1 << 24)), (terms.scale(lane, 2), lane),
                     (terms.add(lane, other), terms.const(1 << 28))):  # what is carried, too
            self.assertEqual(len({terms.add(x, y), terms.xor(x, y), terms.or_(x, y)}), 3)
        with self.assertRaises(ValueError):
            terms.atom_under(3 << 24, "lane")

    def test_truth_tables(self):
        bits = [terms.const(number) for number in (0xf0, 0xcc, 0xaa)]
        for table in range(256):
            self.assertEqual(terms.value(terms.combine(table, *bits)) & 0xff, table)

    def test_different_functions_are_different_terms(self):
        x, y = terms.atom("x"), terms.atom("y")
        for other in (terms.rotr(x, 8), terms.shr(x, 7), terms.add(x, y), y):
            self.assertNotEqual(terms.rotr(x, 7), other)


class Comparisons(unittest.TestCase):
    """Every spelling of a comparison of words without a sign, exhaustively for words of eight bits."""
    RELATIONS = {"e": lambda x, y: x == y, "ne": lambda x, y: x != y, "be": lambda x, y: x <= y, "a": lambda x, y: x > y,
                 "ae": lambda x, y: x >= y, "b": lambda x, y: x < y}

    @staticmethod
    def holds(asked, truth, words):
        if asked is None:  # decided by numbers
            return truth
        left, right = words[asked[1]], words[asked[2]]
        return (left == right if asked[0] == "equal" else left <= right) == truth

    def test_conditional_jumps(self):
        x, y = terms.atom("x"), terms.atom("y")
        for code, relation in self.RELATIONS.items():
            unknown = conditions.condition(code, ("compare", x, y))
            for right in range(256):
                number = terms.const(right)
                one_known = conditions.condition(code, ("compare", x, number))
                self.assertEqual([(self.holds(*unknown, {x: left, y: right}), self.holds(*one_known, {x: left, number: right}))
                                  for left in range(256)], [(relation(left, right),) * 2 for left in range(256)])
                for left in range(0, 256, 15):
                    known = conditions.condition(code, ("compare", terms.const(left), number))
                    self.assertEqual(self.holds(*known, {}), relation(left, right))

    def test_places_in_the_same_memory_are_told_apart(self):
        place = wide.add(wide.atom("pointer", "stack"), wide.atom("index", 1))
        for x, y in ((terms.atom("x"), terms.add(terms.atom("x"), terms.const(4))), (place, wide.add(place, terms.const(4)))):
            self.assertEqual(conditions.condition("e", ("compare", x, y)), (None, False))
            self.assertEqual(conditions.condition("ne", ("compare", x, y)), (None, True))
        asked, _ = conditions.condition("e", ("compare", place, wide.atom("pointer", "stack")))
        self.assertIsNotNone(asked)

    def test_what_is_not_known_is_an_error(self):
        for code in ("be", "a", "ae", "b"):
            with self.assertRaises(program.Unreadable):
                conditions.condition(code, ("zero", terms.atom("x"), terms.const(0)))
        for code in ("l", "g", "s", "o", "c"):
            with self.assertRaises(KeyError):
                conditions.condition(code, ("compare", terms.atom("x"), terms.atom("y")))


class Lists(unittest.TestCase):
    def test_every_kernel_for_messages_is_found(self):
        for architecture, others in (("x86", {"messages_shani_single", "messages_avx512"}), ("arm64", {"messages_sha2_single"})):
            entries = {name: [0] for function in others | {"messages_scalar"} for name in (
                f"_ZN8gpuminer3cpu{len(function)}{function}E", f"_ZN8gpuminer3cpu{len(function) + 6}{function}_aloneE")}
            program_of_it = types.SimpleNamespace(architecture=architecture, symbols=entries)
            self.assertEqual({form.function for form in forms.messages(program_of_it)}, others | {"messages_scalar"})
            self.assertIn("messages_scalar_alone", forms.messages_alone(program_of_it))


class Textbook(unittest.TestCase):
    def test_it_is_sha256(self):
        rng = random.Random(2)
        for _ in range(20):
            message = rng.randbytes(64)
            words = struct.unpack(">16I", message)
            self.assertEqual(struct.pack(">8I", *fips180.double_sha256_of_64_bytes(fips180.Numbers, words)),
                             hashlib.sha256(hashlib.sha256(message).digest()).digest())

    def test_a_header_is_hashed_as_bitcoin_does(self):
        rng = random.Random(3)
        for _ in range(20):
            block = rng.randbytes(80)
            words = struct.unpack(">20I", block)
            numbers = fips180.Numbers
            midstate = fips180.compress(numbers, fips180.INITIAL_STATE, words[:16])
            digest = fips180.digest_of_header(numbers, midstate, words[16:19], words[19])
            self.assertEqual(struct.pack(">8I", *fips180.sha256_of_digest(numbers, digest)),
                             hashlib.sha256(hashlib.sha256(block).digest()).digest())


def corruptions(instructions, how_many, seed):
    """Copies with one operand or verb exchanged."""
    rng = random.Random(seed)
    for _ in range(how_many):
        place = rng.randrange(len(instructions))
        stage, result, words = instructions[place]
        words = list(words)
        kind = rng.randrange(3)
        if words[0] in ("rotr", "shr"):
            words[2] = str(int(words[2]) % 30 + 1)
        elif words[0] in ("ch", "maj", "xor3") and kind == 0:
            words[0] = {"ch": "maj", "maj": "xor3", "xor3": "ch"}[words[0]]
        else:
            operand = rng.randrange(1, len(words))
            before = [each[1] for each in instructions[:place] if each[0] == stage and each[1].startswith("x")]
            words[operand] = rng.choice(before + ["0x00000001"])
        yield instructions[:place] + [(stage, result, words)] + instructions[place + 1:]


def numbers_of(instructions, inputs, names, seed):
    """What a program computes of random numbers, by the plain operations."""
    rng = random.Random(seed)
    results = program.run(instructions, {name: rng.getrandbits(32) for name in inputs}, fips180.Numbers)
    return [results[name] for name in names]


class PrintedPrograms(unittest.TestCase):
    def prove(self, arguments, prover, inputs, names, how_many):
        whole = program.printed(BUILD, *arguments)
        self.assertIsNone(prover(whole))
        expected = numbers_of(whole, inputs, names, 5)
        changed = 0
        for corrupted in corruptions(whole, how_many + how_many // 5, 4):
            if numbers_of(corrupted, inputs, names, 5) != expected:
                changed += 1
                self.assertIsNotNone(prover(corrupted))
        self.assertGreaterEqual(changed, how_many)

    def test_fixed(self):
        self.prove([], header.prove_search, [*header.SEARCH_INPUTS, "nonce"], ["h7"], 10)

    def test_rolled(self):
        self.assertIsNone(header.prove_search(program.printed(BUILD, "--versions", "8")))

    def test_batch(self):
        self.prove(["--batch"], header.prove_batch, header.BATCH_INPUTS, [f"hash[{i}]" for i in range(8)], 2)

    def test_a_wrong_constant_of_the_textbook_is_refused(self):
        for t in (0, 63):
            wrong = list(fips180.K)
            wrong[t] ^= 1 << t % 32
            self.assertNotEqual(header.top_word(header.NONCE), header.top_word(header.NONCE, constants=tuple(wrong)))

    def test_an_unknown_line_is_an_error(self):
        for line in ("  x0 = mul nonce nonce", "  x0 = add nonce x9", "x0 : nonce", "  x0 = add nonce"):
            with self.assertRaises(program.Unreadable):
                program.run(program.parse("stage hash1\n" + line), {"nonce": header.NONCE})


if __name__ == "__main__":
    unittest.main()
