"""`pool` on terminals of 60, 80 and 120 columns: the log-in and the shares stay to be seen above one live line."""

import re
import time

from pool_server import PoolServer
from support import CPU, GPUMINER, PATIENCE, Case, Screen, main, needs_pyte


class Terminal(Case):
    @needs_pyte
    def test_pool(self):
        for columns in (60, 80, 120):
            with self.subTest(columns=columns):
                pool = PoolServer(1e-3)
                self.addCleanup(pool.close)
                screen = Screen([GPUMINER, "pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "1M", "--journal",
                                 str(self.folder / f"journal-{columns}")], columns)
                self.addCleanup(screen.close)
                end = time.monotonic() + PATIENCE
                while (len(pool.accepted()) < 3 or screen.text.count("accepted") < 12) and time.monotonic() < end:
                    self.assertTrue(screen.read(0.5), screen.text)
                shown = screen.shown()
                self.assertTrue(any("logged in" in line for line in shown), shown)
                live = [line for line in shown if re.match(r"[\d.]+ .?H/s", line)]
                self.assertEqual(len(live), 1, shown)
                self.assertEqual(shown[-1], live[0])


if __name__ == "__main__":
    main()
