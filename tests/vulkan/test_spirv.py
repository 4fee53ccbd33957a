#!/usr/bin/env python3
"""The SPIR-V of the shaders for lavapipe and NVIDIA, byte for byte as recorded: changes for other drivers do not reach it.

  test_spirv.py FOLDER_OF_SHADERS GLSLC [--record]
"""

import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unittest_main import SKIPPED, main  # noqa: E402

RECORD = pathlib.Path(__file__).resolve().with_name("spirv.json")
NAMES = [f"search_{rolled}_{mix}" for rolled in range(2) for mix in range(4)] + ["search_software_0_0", "search_software_1_0"]


def hash_of(folder, name):
    numbers = re.findall(r"0x[0-9a-f]+|\d+", (folder / f"{name}.inc").read_text())
    return hashlib.sha256(struct.pack(f"<{len(numbers)}I", *(int(number, 0) for number in numbers))).hexdigest()


def version_of(glslc):
    return " ".join(subprocess.run([glslc, "--version"], capture_output=True, text=True, check=True).stdout.split("\n\n")[0].split())


class Spirv(unittest.TestCase):
    def test_as_recorded(self):
        for name, recorded in json.loads(RECORD.read_text())["shaders"].items():
            self.assertEqual(hash_of(FOLDER, name), recorded, f"{name}: after an intended change, run this with --record")


if __name__ == "__main__":
    FOLDER, GLSLC = pathlib.Path(sys.argv[1]), sys.argv[2]
    if sys.argv[3:] == ["--record"]:
        RECORD.write_text(json.dumps({"glslc": version_of(GLSLC), "shaders": {name: hash_of(FOLDER, name) for name in NAMES}}, indent=1) + "\n")
    elif json.loads(RECORD.read_text())["glslc"] != version_of(GLSLC):
        print(f"SKIPPED: another compiler of shaders than the recorded one: {version_of(GLSLC)}")
        sys.exit(SKIPPED)
    sys.argv[1:] = []
    main()
