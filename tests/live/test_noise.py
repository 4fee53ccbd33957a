"""The tests' own server side of Stratum V2's encryption, against published vectors and itself, before it judges net/noise."""

import csv
import json
import pathlib
import unittest

from support import main

try:
    import noise
except ImportError as error:
    noise, MISSING = None, error

DATA = pathlib.Path(__file__).parent.parent / "data/noise"


def rows(name):
    with open(DATA / name, encoding="ascii", newline="") as file:
        return [[bytes.fromhex(field) if name != "schnorr.csv" or i < 3 else field for i, field in enumerate(row)]
                for row in list(csv.reader(file))[1:]]


@unittest.skipIf(noise is None, "Python's cryptography is not installed")
class Noise(unittest.TestCase):
    def test_encodings_are_those_of_bip_324(self):
        for encoded, x in rows("ellswift_decode.csv"):
            self.assertEqual(noise.text32(noise.ellswift_decode(encoded)), x)
        for u, x, *expected in rows("xswiftec_inv.csv"):
            for case, t in enumerate(expected):
                own = noise.x_swift_ec_inverse(noise.number(x), noise.number(u), case)
                self.assertEqual(b"" if own is None else noise.text32(own), t)

    def test_signatures_are_those_of_bip_340(self):
        for key, message, signature, verdict in rows("schnorr.csv"):
            self.assertEqual(noise.is_signed(key, message, signature), verdict == "TRUE")
        first = rows("schnorr.csv")[0]  # whose secret key is 3, and the auxiliary number 0
        self.assertEqual([noise.public(3), noise.sign(3, first[1])], [first[0], first[2]])

    def test_the_recorded_conversation_is_still_its_own(self):
        self.assertEqual(noise.transcript(), json.loads((DATA / "transcript.json").read_text(encoding="ascii")))

    def test_frames_are_opened_once_they_are_there(self):
        _, responder = noise.handshake(version=0)
        client = noise.Cipher(noise.hkdf(responder.chaining_key, b"")[0])
        frames = [noise.frame_of(size) for size in (0, 40, 2 * noise.PIECE, noise.PIECE + 1)]
        sent, received, opened = b"".join(map(client.seal_frame, frames)), bytearray(), []
        for start in range(0, len(sent), 1000):
            received += sent[start:start + 1000]
            while (frame := responder.open(received)) is not None:
                opened.append(frame)
        self.assertEqual(opened, frames)
        received += bytes(22)
        with self.assertRaises(noise.InvalidTag):
            responder.open(received)


if __name__ == "__main__":
    main()
