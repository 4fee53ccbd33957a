"""The failed tests in ctest's --output-junit, each with the end of its output: short, since the storage of a run's output may keep
only its last few thousand characters. Exit status 1: there are none.

  failures.py XML...
"""

import pathlib
import sys
import xml.etree.ElementTree

CHARACTERS = 4500  # of all their output
TESTS = 8          # with their output; of more than that only the names
WIDTH = 200


def failed_tests(path):
    if not pathlib.Path(path).is_file():
        return []
    cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    return [(case.get("name"), (case.findtext("system-out") or "").rstrip().splitlines())
            for case in cases if case.get("status") == "fail"]


def excerpt(output, characters):
    """What Python's unittest says of each failure in a line, and the last lines."""
    lines = [f"    {line[:WIDTH]}\n" for line in output]
    first = len(lines)
    while first > 0 and characters >= len(lines[first - 1]):
        first -= 1
        characters -= len(lines[first])
    return [line for line in lines[:first] if line.startswith(("    FAIL: ", "    ERROR: "))] + lines[first:]


def main(*paths):
    failed = [test for path in paths for test in failed_tests(path)]
    for number, (name, output) in enumerate(failed):
        print(f"FAILED: {name}")
        if number < TESTS:
            print("".join(excerpt(output, CHARACTERS // min(len(failed), TESTS))), end="")
    return 0 if failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
