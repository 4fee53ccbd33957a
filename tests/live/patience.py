"""The time limits of waiting tests. An event is waited for as long as it takes, however slow the build and busy the
machine, and given up a minute before ctest ends the program, so that the test can still name it."""

import os
import time

GIVEN_UP = time.monotonic() + float(os.environ.get("GPUMINER_TEST_TIMEOUT", "600")) - 60


def patience():
    """Seconds from now on."""
    return max(10.0, GIVEN_UP - time.monotonic())
