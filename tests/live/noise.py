"""The server's side of Stratum V2's encryption: a second implementation, which shares nothing with net/noise (hashlib, hmac, integers for
the curve, cryptography's ChaCha20-Poly1305). As a program it prints the conversation with fixed keys in tests/data/noise/transcript.json."""

import hashlib
import hmac
import json
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

PROTOCOL = b"Noise_NX_Secp256k1+EllSwift_ChaChaPoly_SHA256"
P = 2**256 - 2**32 - 977
N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
G = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
     0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)
ROOT_OF_MINUS_3 = 0x0a2d2ba93507f1df233770c2a797962cc61f6d15da14ecd47d8d27ae1cd5f852
PIECE = 65535 - 16  # plain bytes in Noise's longest message


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def tagged(tag, *parts):
    return sha256(sha256(tag), sha256(tag), *parts)


def number(data):
    return int.from_bytes(data, "big")


def text32(value):
    return value.to_bytes(32, "big")


# The curve (BIP 340): points are pairs, None is infinity.


def added(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiplied(point, factor):
    product = None
    for bit in f"{factor:b}":
        product = added(product, product)
        if bit == "1":
            product = added(product, point)
    return product


def root(square):
    candidate = pow(square, (P + 1) // 4, P)
    return candidate if candidate * candidate % P == square % P else None


def lifted(x):
    y = root(x**3 + 7) if x < P else None
    return None if y is None else (x, y if y % 2 == 0 else P - y)


def public(secret):
    return text32(multiplied(G, secret)[0])


def sign(secret, message, auxiliary=bytes(32)):
    point = multiplied(G, secret)
    d = secret if point[1] % 2 == 0 else N - secret
    own = text32(point[0])
    masked = text32(d ^ number(tagged(b"BIP0340/aux", auxiliary)))
    k = number(tagged(b"BIP0340/nonce", masked, own, message)) % N
    nonce = multiplied(G, k)
    if nonce[1] % 2:
        k = N - k
    r = text32(nonce[0])
    return r + text32((k + number(tagged(b"BIP0340/challenge", r, own, message)) * d) % N)


def is_signed(key, message, signature):
    point, r, s = lifted(number(key)), number(signature[:32]), number(signature[32:])
    if point is None or r >= P or s >= N:
        return False
    e = number(tagged(b"BIP0340/challenge", signature[:32], key, message)) % N
    expected = added(multiplied(G, s), multiplied(point, N - e))
    return expected is not None and expected[1] % 2 == 0 and expected[0] == r


# ElligatorSwift (BIP 324).


def x_swift_ec(u, t):
    u, t = u % P or 1, t % P or 1
    if (u**3 + t**2 + 7) % P == 0:
        t = 2 * t % P
    x = (u**3 + 7 - t**2) * pow(2 * t, -1, P) % P
    y = (x + t) * pow(ROOT_OF_MINUS_3 * u, -1, P) % P
    quotient, half = x * pow(y, -1, P), pow(2, -1, P)
    candidates = ((u + 4 * y * y) % P, (-quotient - u) * half % P, (quotient - u) * half % P)
    return next(x for x in candidates if lifted(x))


def x_swift_ec_inverse(x, u, case):
    if case & 2 == 0:
        if lifted((-x - u) % P):
            return None
        v, s = x, -(u**3 + 7) * pow(u * u + u * x + x * x, -1, P) % P
    else:
        s = (x - u) % P
        r = root(-s * (4 * (u**3 + 7) + 3 * s * u * u)) if s else None
        if r is None or (case & 1 and r == 0):
            return None
        v = (r * pow(s, -1, P) - u) * pow(2, -1, P) % P
    w = root(s)
    if w is None:
        return None
    sign_of_c, sign_of_w = (1 if case & 1 else -1), (-1 if case & 5 in (0, 5) else 1)
    return sign_of_w * w * (u * (1 + sign_of_c * ROOT_OF_MINUS_3) * pow(2, -1, P) + v) % P


def ellswift_decode(encoded):
    return x_swift_ec(number(encoded[:32]), number(encoded[32:]))


def ellswift_encode(x, draw):
    while True:
        u, case = number(draw(32)) % P, draw(1)[0] & 7
        t = x_swift_ec_inverse(number(x), u, case) if u else None
        if t is not None:
            return text32(u) + text32(t)


def shared_secret(secret, theirs, initiator, responder):
    x = multiplied(lifted(ellswift_decode(theirs)), secret)[0]
    return tagged(b"bip324_ellswift_xonly_ecdh", initiator, responder, text32(x))


def drawn_secret(draw):
    while not 0 < (secret := number(draw(32))) < N:
        pass
    return secret


# Noise.


def hkdf(chaining_key, data):
    extracted = hmac.digest(chaining_key, data, "sha256")
    first = hmac.digest(extracted, b"\1", "sha256")
    return first, hmac.digest(extracted, first + b"\2", "sha256")


class Cipher:
    def __init__(self, key):
        self.aead, self.count = ChaCha20Poly1305(key), 0

    def nonce(self):
        self.count += 1
        return bytes(4) + (self.count - 1).to_bytes(8, "little")

    def seal(self, plain, associated=b""):
        return self.aead.encrypt(self.nonce(), plain, associated)

    def open(self, sealed, associated=b""):
        """Raises InvalidTag."""
        return self.aead.decrypt(self.nonce(), sealed, associated)

    def seal_frame(self, frame):
        payload = frame[6:]
        pieces = [payload[i:i + PIECE] for i in range(0, len(payload), PIECE)]
        return b"".join(self.seal(piece) for piece in (frame[:6], *pieces))


def authority_text(key, version=1):
    """As it stands in URLs."""
    data = version.to_bytes(2, "little") + key
    value, digits = number(data + sha256(sha256(data))[:4]), ""
    while value:
        value, digit = divmod(value, 58)
        digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + digits
    return digits  # the first byte is not zero


class NoiseAuthority:
    """Signs certificates."""

    def __init__(self, secret=None):
        self.secret = secret or drawn_secret(secrets.token_bytes)

    @property
    def text(self):
        return authority_text(public(self.secret))

    def certificate(self, server_key, valid_from, not_valid_after, version=0):
        """SIGNATURE_NOISE_MESSAGE for a server with this key (32 bytes)."""
        head = version.to_bytes(2, "little") + valid_from.to_bytes(4, "little") + not_valid_after.to_bytes(4, "little")
        return head + sign(self.secret, sha256(head, server_key))


class NoiseResponder:
    """One connection of a server. answer() first, once the client's 64 bytes are there; then seal() and open() of plain frames (header and
    payload). Raises InvalidTag for what the client has not sealed."""

    FIRST_MESSAGE = 64  # bytes

    def __init__(self, server_secret, certificate, draw=secrets.token_bytes):
        self.server_secret, self.certificate, self.draw = server_secret, certificate, draw
        self.hash = self.chaining_key = sha256(PROTOCOL)
        self.hash = sha256(self.hash)
        self.cipher = self.to_client = self.from_client = self.header = None

    def mix_hash(self, data):
        self.hash = sha256(self.hash, data)

    def mix_key(self, data):
        self.chaining_key, key = hkdf(self.chaining_key, data)
        self.cipher = Cipher(key)

    def seal_and_hash(self, plain):
        sealed = self.cipher.seal(plain, self.hash)
        self.mix_hash(sealed)
        return sealed

    def answer(self, first_message):
        self.mix_hash(first_message)
        self.mix_hash(b"")
        secret = drawn_secret(self.draw)
        ephemeral = ellswift_encode(public(secret), self.draw)
        static = ellswift_encode(public(self.server_secret), self.draw)
        self.mix_hash(ephemeral)
        self.mix_key(shared_secret(secret, first_message, first_message, ephemeral))
        sealed_key = self.seal_and_hash(static)
        self.mix_key(shared_secret(self.server_secret, first_message, first_message, static))
        sealed_certificate = self.seal_and_hash(self.certificate)
        self.from_client, self.to_client = (Cipher(key) for key in hkdf(self.chaining_key, b""))
        return ephemeral + sealed_key + sealed_certificate

    def seal(self, frame):
        return self.to_client.seal_frame(frame)

    def open(self, received):
        """Cuts the client's next frame off the front of a bytearray; None: it is not there as a whole."""
        if self.header is None:
            if len(received) < 22:
                return None
            self.header = self.from_client.open(bytes(received[:22]))
            del received[:22]
        size = int.from_bytes(self.header[3:6], "little")
        sealed = size + -(-size // PIECE) * 16
        if len(received) < sealed:
            return None
        pieces = [bytes(received[i:min(i + PIECE + 16, sealed)]) for i in range(0, sealed, PIECE + 16)]
        del received[:sealed]
        frame, self.header = self.header + b"".join(map(self.from_client.open, pieces)), None
        return frame


# The conversation with fixed keys.


def frame_of(size, kind=0x12):
    """A plain frame with a payload of so many bytes, 0, 1, 2, … modulo 256."""
    return bytes([0, 0, kind]) + size.to_bytes(3, "little") + (bytes(range(256)) * (size // 256 + 1))[:size]


class FixedDraw:
    """Random bytes that are always the same."""

    def __init__(self, name):
        self.name, self.given = name, []

    def __call__(self, size):
        self.given.append(sha256(f"{self.name} {len(self.given)}".encode())[:size])
        return self.given[-1]


def handshake(version):
    authority, server, client = NoiseAuthority(drawn_secret(FixedDraw("authority"))), drawn_secret(FixedDraw("server")), FixedDraw("client")
    first_message = ellswift_encode(public(drawn_secret(client)), client)
    certificate = authority.certificate(public(server), 1_790_000_000, 1_800_000_000, version)
    responder = NoiseResponder(server, certificate, FixedDraw("responder"))
    return {"authority": authority.text, "server_key": public(server).hex(), "client_draws": [draw.hex() for draw in client.given],
            "first_message": first_message.hex(), "answer": responder.answer(first_message).hex()}, responder


def transcript():
    document, responder = handshake(version=0)
    from_client, to_client = (Cipher(key) for key in hkdf(responder.chaining_key, b""))
    small = [frame_of(size) for size in (0, 1, 40)]
    cipher, long = Cipher(b"\x42" * 32), [frame_of(size) for size in (PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 200_000)]
    return document | {
        "answer_with_certificate_of_version_1": handshake(version=1)[0]["answer"],
        "other_authority": NoiseAuthority(5).text, "authority_of_version_2": authority_text(public(5), 2),
        "authority_off_the_curve": authority_text(text32(5)),
        "to_server": [[frame.hex(), from_client.seal_frame(frame).hex()] for frame in small],
        "from_server": [[frame.hex(), to_client.seal_frame(frame).hex()] for frame in small],
        "long": [[len(frame) - 6, sha256(cipher.seal_frame(frame)).hex()] for frame in long]}


if __name__ == "__main__":
    print(json.dumps(transcript(), indent=1))
