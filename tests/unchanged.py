"""The tests that need not be repeated: Catch2 tests that passed in this build tree with the same program and data, bit by bit.

  unchanged.py choose BUILD FILE [LABEL...]
                                    writes to FILE, for `ctest -I FILE`, the numbers of all other tests, but not of those with
                                    one of the labels; says how many it left out. Exit status 3: none is left.
  unchanged.py remember BUILD XML   notes what passed, by ctest's --output-junit.

The system's libraries and drivers are not looked at: after an upgrade of those take --all.

Everything else (end-to-end and live tests, fuzzers, scripts) always runs, and so does everything in a new tree."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Besides their programs, what tests read: data, a document that one test compares with the code, programs that they start.
DATA = ("tests/data", "docs/mining.md", "net/node/node.cpp")
HELPERS = ("gpuminer-kernelgen", "probe_opencl", "*.so", "**/*.spv")
NOTHING_LEFT = 3


def digest_of(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(str(path).encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest() if hasattr(hashlib, "file_digest")
                          else hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def files_below(path):
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def tests_of(build):
    """All tests of the tree, in the order of their numbers."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True)
    return json.loads(shown.stdout)["tests"]


def values_of(test):
    """Its properties."""
    return {entry["name"]: entry["value"] for entry in test["properties"]}


def keys_of(build):
    """A key for each test, by name: the same if and only if its program, arguments and data are. None: it always runs."""
    data = digest_of([file for name in DATA for file in files_below(ROOT / name)]
                     + [file for pattern in HELPERS for file in build.glob(pattern)])
    programs, keys = {}, {}
    for test in tests_of(build):
        properties = values_of(test)
        # (An emulator and its options may come first.)
        words = [pathlib.Path(word) for word in test.get("command", [])]
        program = next((word for word in words if word.parent == build and word.name.startswith("test_")), None)
        if program is None or not program.is_file() or "fuzz" in properties.get("LABELS", []):
            keys[test["name"]] = None
            continue
        if program not in programs:
            programs[program] = digest_of([program])
        text = json.dumps([data, programs[program], test["command"], properties.get("ENVIRONMENT"),
                           os.environ.get("GPUMINER_SCHEDULES_SEED")])
        keys[test["name"]] = hashlib.sha256(text.encode()).hexdigest()
    return keys


def passed_file(build):
    return build / "passed_tests.json"


def read_passed(build):
    path = passed_file(build)
    return json.loads(path.read_text()) if path.exists() else {}


def choose(build, path, *labels):
    passed, keys = read_passed(build), keys_of(build)
    labelled = {test["name"] for test in tests_of(build) if set(labels) & set(values_of(test).get("LABELS", []))}
    numbers = [number for number, (name, key) in enumerate(keys.items(), 1)
               if name not in labelled and (key is None or passed.get(name) != key)]
    # "Start, end, stride" come first; a start beyond all tests leaves the numbers alone.
    pathlib.Path(path).write_text(",".join(map(str, [len(keys) + 1, len(keys) + 1, 1, *numbers])) + "\n")
    left_out = len(keys) - len(numbers)
    if left_out:
        print(f"{left_out} tests passed before with the same program and data, or with all that they test, "
              "and are not run again (--all runs them)")
    return 0 if numbers else NOTHING_LEFT


def remember(build, path):
    passed, keys = read_passed(build), keys_of(build)
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        name = case.get("name")
        if case.get("status") == "run" and keys.get(name):
            passed[name] = keys[name]
        else:
            passed.pop(name, None)
    passed_file(build).write_text(json.dumps(passed, indent=0))
    return 0


if __name__ == "__main__":
    command, folder, file, *rest = sys.argv[1:]
    sys.exit({"choose": choose, "remember": remember}[command](pathlib.Path(folder).resolve(), file, *rest))
