"""The service: systemd's checks of its unit, and the program's notifications."""

import os
import pathlib
import re
import shutil
import socket
import subprocess

from pool_server import PoolServer
from support import CPU, GPUMINER, Case, main, patience

UNIT = pathlib.Path(os.environ["GPUMINER_UNIT"])
DROP_IN = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "cpu-only.conf"
ANALYZE = shutil.which("systemd-analyze")
MINER = ["-u", "worker", *CPU, "--isa", "scalar", "--max-hashrate", "200k"]
PLAIN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


class Service(Case):
    def units(self, drop_in):
        """A folder with the unit, its program being the one that is tested."""
        folder = self.folder / "units"
        folder.mkdir()
        text = re.sub(r"^ExecStart=\S+", f"ExecStart={GPUMINER}", UNIT.read_text(), flags=re.M)
        (folder / "gpuminer@.service").write_text(text)
        if drop_in:
            (folder / "gpuminer@.service.d").mkdir()
            shutil.copy(DROP_IN, folder / "gpuminer@.service.d")
        return folder / "gpuminer@pool.service"

    def analyze(self, unit, *arguments):
        if not ANALYZE:
            self.skipTest("no systemd-analyze is installed")
        return subprocess.run([ANALYZE, *arguments, unit], capture_output=True, text=True, timeout=patience(),
                              env={**PLAIN, "SYSTEMD_UNIT_PATH": f"{unit.parent}:"})

    def exposure(self, drop_in):
        unit = self.units(drop_in)
        if not drop_in:
            shutil.copy(unit.parent / "gpuminer@.service", unit)
        else:  # offline, systemd-analyze does not read drop-ins: the later line of a setting counts
            unit.write_text((unit.parent / "gpuminer@.service").read_text() + DROP_IN.read_text())
        process = self.analyze(unit, "security", "--offline=true", "--no-pager")
        found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", process.stdout)
        self.assertTrue(found, process.stdout + process.stderr)
        return float(found[1]), process.stdout

    def test_the_unit_is_one(self):
        process = self.analyze(self.units(drop_in=True), "verify", "--man=no", "--recursive-errors=no")
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))

    def test_the_unit_gives_little_away(self):
        exposure, table = self.exposure(drop_in=False)
        self.assertLessEqual(exposure, 2.0, table)

    def test_without_gpus_it_gives_less_away(self):
        exposure, table = self.exposure(drop_in=True)
        self.assertLessEqual(exposure, 1.7, table)

    def service_manager(self):
        """The socket on which it is told."""
        address = self.folder / "notify"
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(str(address))
        manager.settimeout(patience())
        os.environ["NOTIFY_SOCKET"] = str(address)
        self.addCleanup(os.environ.pop, "NOTIFY_SOCKET")
        return manager

    def rest_of(self, manager):
        heard = []
        manager.settimeout(0.1)
        while True:
            try:
                heard.append(manager.recv(4096).decode())
            except OSError:
                return heard

    def test_mine_may_be_a_step_of_another_service(self):
        manager = self.service_manager()
        for command in ("mine", "grind"):
            self.assertEqual(self.start(command, "01" * 76, *CPU, "--target", "0" * 64, "--end", "9999").wait(), 2)
        self.assertEqual(self.rest_of(manager), [])

    def test_systemd_is_told(self):
        pool = PoolServer(1e-5)
        self.addCleanup(pool.close)
        manager = self.service_manager()
        miner = self.start("pool", "-o", pool.url, *MINER)
        heard = []
        while not any("accepted" in text and "accepted 0" not in text for text in heard):
            heard.append(manager.recv(4096).decode())
        self.assertIn("READY=1", heard)
        alive = [text for text in heard if text.startswith("WATCHDOG=1\nSTATUS=")]
        self.assertIn("kH/s", alive[-1])
        self.assertEqual(miner.interrupt(), 130)
        self.assertIn("STOPPING=1", self.rest_of(manager))


main()
