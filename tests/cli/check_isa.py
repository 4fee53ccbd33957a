"""check_isa.py NAME [FLAG]: test of --isa NAME. Where /proc/cpuinfo (or GPUMINER_CPU_FLAGS, under an emulator) has
FLAG, that instruction set runs; elsewhere the exit code is 4, with the reason."""

import json
import os
import sys

from support import BLOCK, BLOCK_NONCE, NEAR_BLOCK, SKIPPED, run


def cpu_flags():
    if "GPUMINER_CPU_FLAGS" in os.environ:
        return set(os.environ["GPUMINER_CPU_FLAGS"].split())
    with open("/proc/cpuinfo") as file:
        return next((set(line.split(":")[1].split()) for line in file if line.startswith(("flags", "Features"))), set())


def main(isa, *needs):
    process = run("mine", BLOCK, *NEAR_BLOCK, "--isa", isa, "--backend", "cpu", "--json", "-q")
    document = json.loads(process.stdout)
    if not set(needs) <= cpu_flags():
        assert process.returncode == 4, process.returncode
        assert isa in document["error"], document
        print(f"SKIPPED {isa}: this CPU lacks {', '.join(needs)}; --isa {isa} says: {document['error']}")
        return SKIPPED
    assert process.returncode == 0, process.stderr
    assert document["results"][0]["nonce"] == BLOCK_NONCE, document
    names = [device["name"] for device in document["devices"]]
    assert names and all(name.startswith(f"cpu:{isa}#") for name in names), names
    print(f"{', '.join(names)} found the nonce")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
