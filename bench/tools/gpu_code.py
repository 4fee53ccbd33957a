"""Machine code for GPUs as disassemblers print it: the way of a hash through it; and what OpenCL's text is compiled with."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = 8  # of a rolled hash: they share the nonce's stage
GROUP = 256
SHORT = 300  # instructions; what notes a candidate is shorter, what computes a hash is longer


class Code:
    """Instructions, and the places of labels among them. `next(place)` is where a hash that is no candidate goes on, `is_end(place)`
    whether it does not: they are the subclass's, which knows the instruction set."""

    def __init__(self):
        self.code, self.labels = [], {}

    def path(self):
        """The places before the loop over versions, and in it (none: there is none)."""
        place, visited = 0, {}
        while place < len(self.code) and place not in visited and not self.is_end(place):
            visited[place] = len(visited)
            place = self.next(place)
        order = list(visited)
        split = visited.get(place, len(order))
        return order[:split], order[split:]

    def per_hash(self, rolled, weight):
        """The weights of a hash's instructions. ValueError where the code has not the form's shape."""
        before, loop = self.path()
        if bool(loop) != rolled:
            raise ValueError(f"the kernel is expected to have {'a' if rolled else 'no'} loop")

        def sum_of(places):
            return sum(weight(self.code[place]) for place in places)
        return sum_of(loop) + sum_of(before) / VERSIONS if rolled else sum_of(before)


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout)[-500:].strip()}")
    return done.stdout


def opencl_options(build, rolled, mix):
    """What opencl/search.cpp compiles the text with, for the mix of that name."""
    sizes = dict(re.findall(r"k(\w+)Words = (\d+)", (build / "generated/search_program/sizes.hpp").read_text()))
    values = {"ROLLED": int(rolled), "JOB_WORDS": sizes["RolledJob" if rolled else "FixedJob"], "VERSION_WORDS": sizes["RolledVersion"],
              "SHARED_WORDS": sizes["RolledShared"], "WIDTH": 1, "GROUP": GROUP, "CAPACITY": 65536, "ADDS": 0, "ALL_ADDS": 0,
              "SHIFTS_ROTATIONS": 0, "BFI": int(mix == "bfi"), "BFN": int(mix == "bfn")}
    return ["-cl-std=CL1.2", *(f"-D{name}={value}" for name, value in values.items())]
