"""Instructions as the readers of machine code have them: a verb and operands."""
from typing import NamedTuple


class Operand(NamedTuple):
    kind: str  # "register", "vector", "mask", "number", "memory", "code"; of ARM64 also "lane", "condition"
    size: int = 0
    name: object = None  # of a register, or the number, or the address of constants and code
    base: str = None
    index: str = None
    scale: int = 0
    offset: int = 0
    broadcast: bool = False
    # Of ARM64: how a register, an index or a number is shifted or extended ("lsl", "uxtw"), by `scale` bits (of an index: times
    # `scale`); of memory "!": the base becomes the address.
    extend: str = ""


class Instruction(NamedTuple):
    address: int
    verb: str
    operands: tuple
    next: int  # the address after it
    text: str
