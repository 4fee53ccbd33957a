"""The common main function of the tests in Python."""

import sys
import unittest

SKIPPED = 77  # exit code that ctest counts as "not run"


def main():
    """unittest.main(), with SKIPPED and code 77 where nothing at all could run."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    for test, reason in result.skipped:
        print(f"SKIPPED {test.id()}: {reason}")
    if result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)
    sys.exit(0 if result.wasSuccessful() else 1)
