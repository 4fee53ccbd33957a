"""Memory by symbolic address.

An address is a pointer plus a constant (a fixed cell) or plus multiples of numbers of passes as well (a cell of an array:
what it holds is known for every pass). Two pointers never overlap, except that an aligned frame is a part of the stack in
which it was made. A store forgets what it overlaps; one that might overlap something, without its being known, is an error.
Only what is a function's own may be stored to: results, which go to what the caller has given, are not kept here.
"""
import terms
import walks
import wide
from program import Refuted, Unreadable


_OWN = ("stack", "frame", "aligned", "exchanged")  # the first words of pointers' names


class NeverWritten(Unreadable):
    """A load of something that no store on this path has written."""


def _is_index(monomial):
    return len(monomial) == 1 and monomial[0][0] == "index"


def _split(address):
    base = tuple(part for part in address.parts if not _is_index(part[0]))
    indices = tuple(sorted(((factor, monomial[0][1]) for monomial, factor in address.parts if _is_index(monomial)),
                           reverse=True))
    return base, indices


def _pointers(base):
    return {name for monomial, _ in base for kind, name in monomial if kind == "pointer"}


def _factors(key):
    return [factor for factor, _ in key[1]]


def _signed(number):
    return number - (1 << 64) if number >> 63 else number


class Memory:
    def __init__(self, inputs, passes):
        """`inputs(address, size)` is what the caller has put there, or None; `passes`: at most so many write an array."""
        self.inputs, self.passes = inputs, passes
        self.cells = {}   # base: {offset: (size, value)}
        self.arrays = {}  # (base, indices): {offset: (size, value)}
        self.aligned = {}  # base: (base of what it is a part of, the lowest and the highest place there that it may be)
        self.frames = {}  # base of a frame: (base of the stack that it is a part of, the place there of what was aligned)
        self.given = {}   # base: [(low, high), …] of what belongs to other pointers; or (0, size), all that it has been given
        self.lost = set()  # keys of arrays of which a store has changed elements of other passes than its own

    def copy(self):
        other = Memory(self.inputs, self.passes)
        other.frames, other.lost, other.given = dict(self.frames), set(self.lost), self.given
        other.cells = {base: dict(cells) for base, cells in self.cells.items()}
        other.arrays = {key: dict(cells) for key, cells in self.arrays.items()}
        other.aligned = dict(self.aligned)
        return other

    def store(self, address, size, value, given=False):
        """`given`: whether an address may be of what the caller has given."""
        address = wide.wide(address)
        base, indices = _split(address)
        offset = _signed(address.constant)
        if not given and any(name.split()[0] not in _OWN for name in _pointers(base)):
            raise Refuted("what the caller has given is overwritten")
        if offset % 4 or size % 4:
            raise Unreadable("a store of a part of a word")
        self._check_base(base)
        self._check_owner(base, indices, offset, size)
        self._forget_in_other_frames(base, offset, size)
        self._forget_beside_aligned(base, indices, offset, size)
        if indices:
            self._forget_overlapped((base, indices), offset, size)
            self.arrays.setdefault((base, indices), {})[offset] = (size, value)
            return
        cells = self.cells.setdefault(base, {})
        for other in range(offset - 60, offset + size, 4):
            if other in cells and other + cells[other][0] > offset:
                del cells[other]
        cells[offset] = (size, value)

    def align(self, frame, address):
        """A frame is made by rounding an address down; below that address is now the frame, whatever else was there."""
        base, indices = _split(wide.wide(address))
        if indices:
            raise Unreadable("an aligned frame at no fixed place")
        self.frames[wide.wide(frame).parts] = base, _signed(wide.wide(address).constant)

    def give(self, pointers, names):
        """Two places side by side belong to pointers of other names from now on."""
        base, size = pointers[0].parts, abs(pointers[1].constant - pointers[0].constant)
        cells = self.cells.setdefault(base, {})
        self.given = dict(self.given)
        for pointer, name in zip(pointers, names):
            low = _signed(pointer.constant)
            self._check_owner(base, (), low, size)
            self.given[base] = [*self.given.get(base, ()), (low, low + size)]
            self.given[name.parts] = (0, size)
            inside = {at: cell for at, cell in cells.items() if at < low + size and low < at + cell[0]}
            self.cells[name.parts] = {at - low: cell for at, cell in inside.items() if low <= at <= low + size - cell[0]}
            for at in inside:
                del cells[at]
        if base in self.frames:
            outer, place = self.frames[base]
            self._forget(outer, lambda at: at < place)

    def exchange(self, first, second):
        """Two bases that have been given places of the same size get each other's names."""
        self.cells[first], self.cells[second] = self.cells.get(second, {}), self.cells.get(first, {})

    def _check_owner(self, base, indices, offset, size):
        """Raises unless what is at an address belongs to its pointer."""
        given = self.given.get(base)
        if given is None:
            return
        if isinstance(given, tuple):
            low, high = given
            reachable = not indices and low <= offset and offset + size <= high
        else:
            reachable = not indices and all(high <= offset or offset + size <= low for low, high in given)
        if not reachable:
            raise Unreadable("what belongs to a pointer that a loop exchanges is reached in another way")

    def _check_base(self, base):
        """Raises unless a base is one pointer, or always the same expression of one: two might be one address."""
        pointers = [name for monomial, _ in base for kind, name in monomial if kind == "pointer"]
        if len(pointers) != 1:
            raise Unreadable("a store to an address that is no pointer's")
        for other in (*self.cells, *(key[0] for key in self.arrays)):
            if other != base and pointers[0] in _pointers(other):
                raise Unreadable("a store at an unknown distance from another one")

    def _forget_in_other_frames(self, base, offset, size):
        """A frame and the part of the stack below it are the same memory, used one after the other."""
        for frame, (outer, place) in self.frames.items():
            if frame == base:
                if offset + size > 0:
                    raise Unreadable("a store beyond the part of the stack that has been aligned")
                self._forget(outer, lambda at, place=place: at < place)
            elif outer == base and offset < place:
                if frame in self.given:
                    raise Unreadable("a store below an aligned part of the stack")
                self._forget(frame, lambda _: True)

    def _forget(self, base, chosen):
        for key in [key for key in self.arrays if key[0] == base]:
            if any(map(chosen, self.arrays[key])):
                del self.arrays[key]
                self.lost.add(key)
        cells = self.cells.get(base, {})
        for at in list(filter(chosen, cells)):
            del cells[at]

    def align_within(self, pointer, address, alignment):
        """An address in the stack, which begins at a multiple of 16, is rounded down for what is stored from there on."""
        base, indices = _split(wide.wide(address))
        place = _signed(wide.wide(address).constant) & -16
        if indices or _pointers(base) != {"stack"} or len(base) != 1:
            raise Unreadable("something aligned at no fixed place in the stack")
        self.aligned[wide.wide(pointer).parts] = base, place - alignment + 16, place

    def _forget_beside_aligned(self, base, indices, offset, size):
        """What is at an aligned pointer may overlap what is stored at fixed places around it."""
        for pointer, (outer, low, high) in self.aligned.items():
            if pointer == base:
                if indices or any(key[0] == outer for key in self.arrays) or high + offset + size > 0:
                    raise Unreadable("an array in what is aligned or beside it, or a store beyond the stack")
                self._forget(outer, lambda at, low=low, high=high: at < high + offset + size and at + 64 > low + offset)
            elif outer == base:
                self._forget(pointer, lambda at, low=low, high=high: bool(indices) or (
                    at + low < offset + size and offset < at + high + 64))

    def _forget_overlapped(self, key, offset, size):
        """What has been written with other numbers of passes may be overwritten for any."""
        stride = key[1][-1][0]
        for other, cells in list(self.arrays.items()):
            if other[0] != key[0] or _factors(other) != _factors(key):
                continue
            for at in list(cells):
                gap = (offset - at) % stride
                if abs(offset - at) < self._length(key) and (gap < cells[at][0] or stride - gap < size):
                    if other != key or max(offset + size, at + cells[at][0]) - min(offset, at) > stride:
                        self.lost.add(other)
                    if other != key or at != offset:
                        del cells[at]
            if not cells:
                del self.arrays[other]

    def _length(self, key):
        return key[1][0][0] * self.passes

    def check(self):
        """Raises where an array might overlap anything else."""
        for key, cells in self.arrays.items():
            low = min(cells)
            if max(at + size for at, (size, _) in cells.items()) - low > key[1][-1][0]:
                raise Unreadable("what one pass writes into an array overlaps what the next one does")
            for at, (size, _) in self.cells.get(key[0], {}).items():
                if low < at + size and at < low + self._length(key):
                    raise Unreadable("an array might overlap another variable")
            for other, other_cells in self.arrays.items():
                if other[0] == key[0] and _factors(other) != _factors(key) and (
                        low < min(other_cells) + self._length(other) and min(other_cells) < low + self._length(key)):
                    raise Unreadable("an array might overlap another one")

    def load(self, address, size):
        """(size of the cell, its value, offset in it): a cell that has all of it, or [cells] where it takes several."""
        address = wide.wide(address)
        base, indices = _split(address)
        offset = _signed(address.constant)
        if size % 4:
            raise Unreadable("a load of a part of a word")
        self._check_owner(base, indices, offset, size)
        if not indices:
            found = self._load_fixed(base, offset, size)
            if found:
                return found
        given = self.inputs(address, size)
        if given is not None:
            self._check_untouched(base, indices, offset, size)
            return size, given, 0
        found = self._load_from_array(base, indices, offset, size)
        if found:
            return found
        raise NeverWritten(str(address))

    def _check_untouched(self, base, indices, offset, size):
        """Raises where a store may have changed what the caller has given."""
        for other in (*self.cells, *(key[0] for key in self.arrays)):
            if _pointers(other) & _pointers(base) and (other != base or indices or any(key[0] == base for key in self.arrays)):
                raise Unreadable("a load of what a store may have changed")
        if any(at < offset + size and offset < at + cell[0] for at, cell in self.cells.get(base, {}).items()):
            raise Unreadable("a load of what a store has changed in part")

    def _load_fixed(self, base, offset, size):
        cells = self.cells.get(base, {})
        for at in (offset, *range(offset - 4, offset - 64, -4)):
            if at in cells and at + cells[at][0] >= offset + size:
                return *cells[at], offset - at
        return None

    def _load_from_array(self, base, indices, offset, size):
        for (array_base, array_indices), cells in self.arrays.items():
            if array_base != base:
                continue
            wanted = dict((name, factor) for factor, name in indices)
            rest, chosen = offset - min(cells), {}
            for factor, name in array_indices:
                parts = {other: by // factor for other, by in wanted.items() if by % factor == 0}
                wanted = {other: by for other, by in wanted.items() if other not in parts}
                passes, rest = divmod(rest, factor)
                chosen[name] = (passes, parts)
            if wanted or any(passes < 0 for passes, _ in chosen.values()):
                continue
            place = rest + min(cells)
            for at in (place, *range(place - 4, place - 64, -4)):
                if at in cells and at + cells[at][0] >= place + size:
                    return cells[at][0], for_pass(cells[at][1], chosen), place - at
        return None


_replaced = {}
_INPUTS = ("carried", "midstate", "tail", "digest", "message", "nonce", "first nonce", "lane number << 24", "of", "low", "register")


def is_of_inputs(term):
    """Whether a term has no atom that stands for different numbers in different passes."""
    return all(name[0] in _INPUTS and (name[0] != "low" or name[1] in ("index", "value", "sum")) for name in walks.atoms_of(term))


def for_pass(value, chosen):
    """A value with numbers of passes replaced: {index: (constant, {other index: factor})}; unknown if it has unknown parts."""
    def low(passes, parts):
        return terms.add(terms.const(passes), *(terms.scale(wide.low_of_index(name), by) for name, by in parts.items()))
    atoms = {("low", "index", name): low(*counted) for name, counted in chosen.items()}
    known = _replaced.setdefault(frozenset(atoms.items()), {})

    def replaced(term):
        if term not in known and not is_of_inputs(term):
            return wide.low(wide.fresh("unknown"))
        return walks.replace(term, atoms, known)

    if isinstance(value, int):
        return replaced(value)
    if isinstance(value, wide.Wide):
        return wide.fresh("unknown")
    return tuple((replaced(term), lane) for term, lane in value) if isinstance(value, tuple) else value
