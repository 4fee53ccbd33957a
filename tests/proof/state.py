"""What is known at one point of a path: registers, memory, decisions; and the places that hold it, by which states are compared."""
import wide


class State:
    def __init__(self, memory):
        self.registers = {}
        self.memory = memory
        self.flags = None
        self.frames = []   # entry addresses of the functions that are being executed
        self.decisions = {}  # conditions on this path, and whether they hold
        self.tests = []    # what has been decided about candidates, in this pass
        self.calls = []    # what has been called with them
        self.entered = None  # states that have become this one, before any pass of a loop
        self.looped = set()  # heads of loops that this path has been through, in this pass of the loop around them

    def copy(self):
        other = State(self.memory.copy())
        other.registers = dict(self.registers)
        other.flags, other.frames = self.flags, list(self.frames)
        other.decisions = dict(self.decisions)
        other.tests, other.calls, other.looped = list(self.tests), list(self.calls), set(self.looped)
        return other


def places(state):
    for name in state.registers:
        yield "register", name, None
    for base, cells in state.memory.cells.items():
        for offset in cells:
            yield "cell", base, offset
    for key, cells in state.memory.arrays.items():
        for offset in cells:
            yield "array", key, offset


def get(state, place):
    kind, where, offset = place
    if kind == "register":
        return state.registers.get(where)
    return (state.memory.cells if kind == "cell" else state.memory.arrays).get(where, {}).get(offset)


def put(state, place, value):
    """None: nothing is known of it."""
    kind, where, offset = place
    if kind == "register":
        holder, key = state.registers, where
    else:
        holder, key = (state.memory.cells if kind == "cell" else state.memory.arrays).setdefault(where, {}), offset
    if value is None:
        del holder[key]
        if kind == "array" and not holder:
            del state.memory.arrays[where]
    else:
        holder[key] = value


def is_number(place, value):
    """Whether it is a general register, or a cell that one has been stored in."""
    return not place[1].startswith(("v", "k")) if place[0] == "register" else place[0] == "cell" and value[0] <= 8


def forget(state, place, other=None):
    """Makes what is there unknown; of a register not the lowest byte, if that is a number and the same in `other`."""
    value = get(state, place)
    if value is None:
        return
    byte = wide.lowest_byte(value) if other is not None and place[0] == "register" else None
    if byte is not None and byte == wide.lowest_byte(other):
        put(state, place, wide.unknown_but_for(byte))
        return
    if not is_number(place, value):
        put(state, place, None)
    elif place[0] == "register":
        put(state, place, wide.fresh("unknown"))
    else:
        unknown = wide.fresh("unknown")
        put(state, place, (value[0], unknown if value[0] == 8 else wide.low(unknown)))


def add_unknown_vectors(merged, states):
    """Puts unknown words where all of some states have a vector, and what they have become has none."""
    for place in list(places(states[0])):
        if place[0] != "array" and get(merged, place) is None and all(get(each, place) is not None for each in states):
            size = 64 if place[0] == "register" else get(states[0], place)[0]
            words = tuple((wide.low(wide.fresh("unknown")), None) for _ in range(size // 4))
            put(merged, place, words if place[0] == "register" else (size, words))


def is_of_pass(place, index):
    """Whether a place is in an array of which each pass of a loop has an element."""
    return place[0] == "array" and index in [name for _, name in place[1][1]]


def number_at(state, place):
    """A register's or cell's value, without the size; None if nothing is known of it."""
    value = get(state, place)
    return value if place[0] == "register" or value is None else value[1]


def word_at(state, place):
    """A number's lower half; None if there is no number."""
    number = number_at(state, place)
    return wide.low(number) if isinstance(number, (int, wide.Wide)) else None
