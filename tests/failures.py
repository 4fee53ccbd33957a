"""The failed tests in ctest's --output-junit, each with the end of its output and the heads of sanitizers' reports: short, since
the storage of a run's output may keep only its last few thousand characters. Exit status 1: there are none.

  failures.py XML...
"""

import pathlib
import re
import sys
import xml.etree.ElementTree

CHARACTERS = 3000  # of all their output
TESTS = 8          # with their output; of more than that only the names
WIDTH = 160
REPORT = "(ERROR|WARNING): [A-Z][a-zA-Z]+Sanitizer|: runtime error: "
FRAMES = 8         # of a sanitizer's report, whose end tells where the thread began


def failed_tests(path):
    if not pathlib.Path(path).is_file():
        return []
    cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    return [(case.get("name"), (case.findtext("system-out") or "").rstrip().splitlines())
            for case in cases if case.get("status") == "fail"]


def excerpt(output, characters):
    """What Python's unittest says of each failure in a line, the first sanitizer's report, and the last lines."""
    lines = [f"    {line[:WIDTH]}\n" for line in output]
    report = next((number for number, line in enumerate(output) if re.search(REPORT, line)), len(lines))
    heads = [number for number, line in enumerate(lines) if line.startswith(("    FAIL: ", "    ERROR: "))]
    heads += range(report, min(report + FRAMES + 2, len(lines)))
    kept = set()
    for numbers, left in ((heads, characters // 2), (reversed(range(len(lines))), 0)):
        for number in numbers:
            if number not in kept and characters - len(lines[number]) < left:
                break
            characters -= len(lines[number]) if number not in kept else 0
            kept.add(number)
    return [lines[number] for number in sorted(kept)]


def main(*paths):
    failed = [test for path in paths for test in failed_tests(path)]
    for number, (name, output) in enumerate(failed):
        print(f"FAILED: {name}")
        if number < TESTS:
            print("".join(excerpt(output, CHARACTERS // min(len(failed), TESTS))), end="")
    return 0 if failed else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
