#!/usr/bin/env python3
"""Writer of message_vectors.inc: frames of Stratum V2, made from the specification with nothing but `struct`.

The values are those of test_messages.cpp. Usage: make_vectors.py > message_vectors.inc
"""
import struct


def number(fmt):
    return lambda value: struct.pack("<" + fmt, value)


U8, U16, U32, U64, F32 = number("B"), number("H"), number("I"), number("Q"), number("f")


def text(value):
    data = value.encode()
    return U8(len(data)) + data


def short_bytes(data):
    assert len(data) <= 32
    return U8(len(data)) + data


def long_bytes(data):
    return U16(len(data)) + data


def u256(first):
    """The bytes first, first + 1, … in the order in which they are sent."""
    return bytes((first + i) % 256 for i in range(32))


def option(value):
    return U8(0) if value is None else U8(1) + U32(value)


def frame(of_channel, kind, *fields):
    payload = b"".join(fields)
    return struct.pack("<HB", 0x8000 if of_channel else 0, kind) + struct.pack("<I", len(payload))[:3] + payload


VECTORS = [
    ("SetupConnection", frame(False, 0x00, U8(0), U16(2), U16(2), U32(5), text("pool.example"), U16(34254),
                              text("gpuminer"), text("CPUs and GPUs"), text("gpuminer/0.1.0"), text(""))),
    ("SetupConnectionSuccess", frame(False, 0x01, U16(2), U32(3))),
    ("SetupConnectionError", frame(False, 0x02, U32(0x80000001), text("unsupported-feature-flags"))),
    ("Reconnect", frame(False, 0x04, text("eu.pool.example"), U16(3333))),
    ("OpenStandardMiningChannel", frame(False, 0x10, U32(7), text("user.worker"), F32(1.5e12), u256(1))),
    ("OpenStandardMiningChannelSuccess",
     frame(False, 0x11, U32(7), U32(0x01020304), u256(2), short_bytes(b"\xca\xfe\x01"), U32(9))),
    ("OpenMiningChannelError", frame(False, 0x12, U32(7), text("unknown-user"))),
    ("OpenExtendedMiningChannel", frame(False, 0x13, U32(8), text("user"), F32(0.5), u256(3), U16(8))),
    ("OpenExtendedMiningChannelSuccess",
     frame(False, 0x14, U32(8), U32(5), u256(4), U16(16), short_bytes(bytes(range(32))), U32(6))),
    ("NewMiningJob", frame(True, 0x15, U32(5), U32(11), option(1700000000), U32(0x20000000), u256(5))),
    ("NewMiningJobFuture", frame(True, 0x15, U32(5), U32(12), option(None), U32(0x20000004), u256(6))),
    ("UpdateChannel", frame(True, 0x16, U32(5), F32(2.5e9), u256(7))),
    ("UpdateChannelError", frame(True, 0x17, U32(5), text("invalid-nominal-hashrate"))),
    ("CloseChannel", frame(True, 0x18, U32(5), text("maintenance"))),
    ("SetExtranoncePrefix", frame(True, 0x19, U32(5), short_bytes(b""))),
    ("SubmitSharesStandard",
     frame(True, 0x1a, U32(5), U32(1), U32(11), U32(0x0068e19b), U32(1700000001), U32(0x3fffe004))),
    ("SubmitSharesExtended",
     frame(True, 0x1b, U32(5), U32(2), U32(11), U32(1), U32(1700000002), U32(0x20000000), short_bytes(b"\x01\x02"))),
    ("SubmitSharesSuccess", frame(True, 0x1c, U32(5), U32(20), U32(10), U64(0x0102030405060708))),
    ("SubmitSharesError", frame(True, 0x1d, U32(5), U32(21), text("stale-share"))),
    ("NewExtendedMiningJob",
     frame(True, 0x1f, U32(5), U32(13), option(None), U32(0x20000000), U8(1), U8(2), u256(8), u256(9),
           long_bytes(b"\x01\x00" * 150), long_bytes(b"\xff"))),
    ("SetNewPrevHash", frame(True, 0x20, U32(5), U32(13), u256(10), U32(1700000003), U32(0x207fffff))),
    ("SetTarget", frame(True, 0x21, U32(5), u256(11))),
    ("SetGroupChannel", frame(False, 0x25, U32(6), U16(3), U32(5), U32(1), U32(2))),
]

print("// Made by make_vectors.py: the name that test_messages.cpp gives to a message, and its frame in hex.")
for name, data in VECTORS:
    print(f'VECTOR({name}, "{data.hex()}")')
