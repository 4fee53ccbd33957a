"""The forms of the search and the kernels of batches, as cpu/isa_list*.inc lists them and the linked program has them."""
import pathlib
import re
from typing import NamedTuple

from program import Unreadable

# Which input a lane belongs to, where it is not that of the same number (cpu/batch/sha256d64_avx512.cpp).
_ORDERS = {"avx512": tuple(8 * (q // 2) + 2 * i + q % 2 for q in range(4) for i in range(4))}
_ROOT = pathlib.Path(__file__).parents[2]


class Form(NamedTuple):
    function: str
    entry: int
    lanes: int           # nonces per vector, of two vectors together where a form has pairs
    block: int           # vectors that one half of the code runs over
    rolled_nonces: int   # of them different nonces, where there are several versions
    notes: frozenset     # addresses of the functions that note candidates of so many lanes


class StreamForm(NamedTuple):
    function: str
    entry: int
    streams: int   # nonces that are hashed at the same time
    block: int     # nonces whose schedules are made together, where there are several versions
    carries: bool  # whether a pass makes the second hashes of the nonces of the pass before it


class WovenForm(NamedTuple):
    function: str
    entry: int
    notes: frozenset  # addresses of the functions that note candidates


class BatchForm(NamedTuple):
    function: str
    entry: int
    words: int    # of a message, 16; or 8, where it is the first hash of another one
    width: int    # messages of a vector
    lanes: int    # of them in the lanes of registers; 1: each one's words are side by side
    block: int    # vectors that one part of the code runs over
    order: tuple  # which message of the vector a lane belongs to


class MessagesForm(NamedTuple):
    function: str
    entry: int
    width: int   # messages at a time
    lanes: int   # of them in the lanes of registers; 1: each one's words are side by side
    layout: str  # of their states: kLanes, kShaNi or kSha2


def _rows(program):
    text = "".join((_ROOT / "cpu" / name).read_text() for name in ("isa_list.inc", f"isa_list_{program.architecture}.inc"))
    lanes = {name: int(number) for name, number in re.findall(r"^GPUMINER_ISA\((\S+), \"[^\"]*\", (\d+),", text, re.M)}
    searches = re.findall(r"^GPUMINER_SEARCH\((\S+), (\w+), \w+, \"[^\"]*\", \"[^\"]*\", (.*)\)$", text, re.M)
    batches = [(function, 16, int(width)) for function, width in
               re.findall(r"^GPUMINER_BATCH\(\S+, (\w+), \w*, ?(\d+)\)", text, re.M)]
    messages = re.findall(r"^GPUMINER_MESSAGES\(\S+, (\w+), \w*, (\d+), (\w+)\)$", text, re.M)
    messages += [(function, "1", layout) for function, layout in
                 re.findall(r"^GPUMINER_MESSAGE\(\S+, (\w+), \w*, (\w+)\)$", text, re.M)]
    if len(messages) != len(re.findall(r"^GPUMINER_MESSAGE", text, re.M)):
        raise Unreadable("a row of kernels for messages in another form than the reader knows")
    batches += [(function + "_again", 8, int(width)) for function, width, _ in messages]
    return lanes, searches, batches, messages


def _entries(program, function):
    """(name, address) of a function of gpuminer::cpu, also as the second compiler has made it."""
    for name in (function, function + "_by_clang"):
        symbol = f"_ZN8gpuminer3cpu{len(name)}{name}E"
        for found, addresses in program.symbols.items():
            if found.startswith(symbol) and len(addresses) == 1:
                yield name, addresses[0]


def searches(program):
    """([Form, StreamForm or WovenForm, …], [names of forms that no reader is for])."""
    lanes_of, rows, *_ = _rows(program)
    notes = list(note_functions(program))
    forms, others = [], []
    for isa, function, scanner in rows:
        streams = re.fullmatch(r"(Shani|Sha2)Scan<(\d+)>", scanner)
        match = re.fullmatch(r"LaneScan<(PairLanes<\w+>|\w+)(?:, (\d+), (\d+))?>", scanner)
        for name, address in _entries(program, function):
            if streams:
                number, carries = int(streams[2]), streams[1] == "Shani"
                forms.append(StreamForm(name, address, number, (8 if carries else 4) * number, carries))
                continue
            if scanner.startswith("WovenScan<"):
                forms.append(WovenForm(name, address, frozenset(woven_note_functions(program))))
                continue
            if not match:
                others.append(name)
                continue
            lanes = lanes_of[isa] * (2 if match[1].startswith("PairLanes") else 1)
            of_lanes = frozenset(note for note_lanes, note in notes if note_lanes == lanes)
            forms.append(Form(name, address, lanes, int(match[2] or 8), int(match[3] or 1), of_lanes))
    return forms, others


def note_functions(program):
    """(lanes, address) of each function that notes candidates."""
    lanes = {"Scalar": 1, "Neon": 4, "Sse41": 4, "Avx2": 8, "Avx512": 16}
    for name, addresses in sorted(program.symbols.items()):
        match = re.search(r"LaneScanINS1_\d+(PairLanesINS1_\d+)?([A-Z][a-z]+\d*)Lanes.*note_lanes", name)
        if match:
            for address in addresses:
                yield lanes[match[2]] * (2 if match[1] else 1), address


def woven_note_functions(program):
    """The addresses of those that note candidates of woven forms."""
    return sorted(address for name, addresses in program.symbols.items() if re.search("WovenScan.*note_lanes", name)
                  for address in addresses)


def batches(program):
    """[BatchForm, …] of the kernels of batches."""
    found = []
    for function, words, width in _rows(program)[2]:
        isa = function.split("_")[1]
        by_words = isa in ("shani", "sha2")
        lanes = 1 if by_words else width
        for name, address in _entries(program, function):
            block = 1 if by_words or words == 8 else 8192 // (32 * width)
            order = _ORDERS.get(isa, tuple(range(16)) if lanes > 1 else (None,) * 16)
            found.append(BatchForm(name, address, words, width, lanes, block, order))
    return found


def messages(program):
    """[MessagesForm, …] of the kernels for messages of any length."""
    return [MessagesForm(name, address, int(width), int(width) if layout == "kLanes" else 1, layout)
            for function, width, layout in _rows(program)[3] for name, address in _entries(program, function)]


def messages_alone(program):
    """The names of functions that hash one message by itself, which no reader is for."""
    return [name for function, width, _ in _rows(program)[3] if width == "1" for name, _ in _entries(program, function + "_alone")]
