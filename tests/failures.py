"""Prints the tests that failed by ctest's --output-junit, each with the end of its output. Exit status 1: there are none.

  failures.py XML
"""

import pathlib
import sys
import xml.etree.ElementTree

LINES = 30  # of each test's output
TESTS = 8   # with their output; of more than that only the names


def failed_tests(path):
    if not pathlib.Path(path).is_file():
        return []
    cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    return [(case.get("name"), (case.findtext("system-out") or "").rstrip().splitlines())
            for case in cases if case.get("status") == "fail"]


def main(path):
    failed = failed_tests(path)
    for number, (name, output) in enumerate(failed):
        print(f"FAILED: {name}")
        if number < TESTS:
            print("".join(f"    {line}\n" for line in output[-LINES:]), end="")
    return 0 if failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
