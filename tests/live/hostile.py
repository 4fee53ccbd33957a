"""Lines that no pool should send, as bytes without the newline."""

import json


def message(method, *parameters, **more):
    return json.dumps({"id": None, "method": method, "params": parameters, **more}).encode()


def notify(**changes):
    """A mining.notify with some of its parameters exchanged."""
    fields = {"job": "77", "previous": "00" * 32, "coinbase1": "01" * 60, "coinbase2": "00" * 60, "branch": ["11" * 32],
              "version": "20000000", "bits": "1d00ffff", "time": "60000000", "clean": False}
    return message("mining.notify", *{**fields, **changes}.values())


GARBAGE = [
    b"", b" ", b"\x00" * 40, bytes(range(1, 10)) + bytes(range(11, 256)), b"HTTP/1.1 400 Bad Request", b"null", b"true", b"17", b'"text"',
    b"[]", b"{}", b"{", b'{"id":', b"[1,2", b'{"a":1}{"b":2}', b"\xff\xfe{\x00}\x00", b'"\xed\xa0\x80"', b'{"id":1,"id":2}',
    b'{"method":"mining.notify"}', b"NaN", b"1e400", b"-", b"[" * 100000, b"[" * 50000 + b"]" * 50000, b'{"a":' * 50000,
    b'{"id":null,"method":"' + b"m" * 100000 + b'","params":[]}', b'"' + b"\\u0000" * 1000 + b'"',
]

NUMBERS = [
    message("mining.set_difficulty", value) for value in (0, -1, -0.0, 1e-300, 1e300, 2**200, "1", None, [], {}, True, "1e-5x")
] + [b'{"id":null,"method":"mining.set_difficulty","params":[1e999]}', message("mining.set_difficulty"),
     b'{"id":null,"method":"mining.set_difficulty","params":{"difficulty":1}}']

JOBS = [
    notify(job=7), notify(job=None), notify(job="x" * 100000), notify(job="\x1b[2J\n"), notify(previous="00" * 31), notify(previous="zz" * 32),
    notify(previous=5), notify(coinbase1=""), notify(coinbase1="0"), notify(coinbase1=None), notify(coinbase1="00" * 400000),
    notify(coinbase2={}), notify(branch="11"), notify(branch=["11"]), notify(branch=[1]), notify(branch=["11" * 32] * 1000),
    notify(branch=[["11" * 32]]), notify(version="2000000000"), notify(version=-1), notify(version=""), notify(bits="00000000"),
    notify(bits="ffffffff"), notify(bits="1d80ffff"), notify(bits=486604799), notify(time="6000"), notify(time="-0000001"),
    notify(clean="yes"), notify(clean=None), message("mining.notify"), message("mining.notify", *[None] * 9),
    b'{"id":null,"method":"mining.notify","params":null}', b'{"method":"mining.notify","params":"text"}',
]

OTHERS = [
    message("mining.set_extranonce"), message("mining.set_extranonce", "zz", 4), message("mining.set_extranonce", "00" * 33, 4),
    message("mining.set_extranonce", "00", -1), message("mining.set_extranonce", "00", 10**9), message("mining.set_extranonce", None, None),
    message("mining.set_version_mask"), message("mining.set_version_mask", "xyz"), message("mining.set_version_mask", 5),
    message("mining.set_version_mask", "f" * 100), message("client.reconnect", 5), message("client.reconnect", "a", "b", "c"),
    message("client.reconnect", "127.0.0.1", -1), message("client.reconnect", "127.0.0.1", 99999), message("client.reconnect", None, None, None),
    message("client.reconnect", "evil.example", 3333, 0), message("client.show_message"), message("client.show_message", 5),
    message("client.show_message", "\x1b]0;owned\x07" + "x" * 50000), message("client.get_version", id={"a": []}),
    message("client.get_version", id="x" * 50000), message("mining.unknown", 1, 2), message("", 1),
    b'{"id":99999,"result":true,"error":null}', b'{"id":-1,"result":true,"error":null}', b'{"id":1e30,"result":true,"error":null}',
    b'{"id":"3","result":true,"error":null}', b'{"id":null,"result":true,"error":null}', b'{"id":[1],"result":{},"error":{}}',
    b'{"id":1,"result":null,"error":[20,"again",null]}', b'{"result":true}', b'{"id":4}', b'{"id":5,"method":5,"params":5}',
]

# In place of the reply to mining.subscribe.
SUBSCRIPTIONS = [
    None, True, False, 5, "text", {}, [], [[]], [[], "zz", 4], [[], "00", 34], [[], "00", -4], [[], "00", 33], [[], "00", "4"], [[], "00", 1.5],
    [[], "00", 10**12], [[], None, 4], [[], 7, 4], [[], "00" * 33, 4], [[], "0", 4], [None, None, None], [[[[[]]]], "00", {}], [[], "00"],
]
