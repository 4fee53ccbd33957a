"""How long a test waits for what has to come: as long as it takes, however slow the build and busy the machine. What never comes is
given up a minute before ctest ends the program, so that the test can still say what it waited for."""

import os
import time

GIVEN_UP = time.monotonic() + float(os.environ.get("GPUMINER_TEST_TIMEOUT", "600")) - 60


def patience():
    """Seconds from now on."""
    return max(10.0, GIVEN_UP - time.monotonic())
