"""ckpool in solo mode on Bitcoin Core, where both are in PATH. (Low difficulties need the fork ckpool-lhr.)"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from nodes import PASSWORD, USER, free_port


class Ckpool:
    @staticmethod
    def program():
        program = shutil.which("ckpool")
        if not program:
            raise unittest.SkipTest("ckpool is not in PATH")
        return program

    def __init__(self, folder, node, difficulty, mask="1fffe000"):
        self.folder = pathlib.Path(folder) / "ckpool"
        (self.folder / "logs").mkdir(parents=True)
        self.port = free_port()
        # Above 4000 ports give a difficulty of 10^6 to begin with.
        settings = {"btcd": [{"url": f"127.0.0.1:{node.port}", "auth": USER, "pass": PASSWORD, "notify": False}],
                    "serverurl": [f"127.0.0.1:{self.port}"], "btcaddress": node.address, "blockpoll": 50, "version_mask": mask,
                    "mindiff": difficulty, "startdiff": difficulty, "maxdiff": difficulty, "highdiff": difficulty,
                    "allow_low_diff": True, "logdir": str(self.folder / "logs")}
        (self.folder / "ckpool.conf").write_text(json.dumps(settings))
        with open(self.folder / "output.log", "wb") as log:
            self.process = subprocess.Popen(
                [self.program(), "-B", "-c", self.folder / "ckpool.conf", "-s", self.folder / "sockets", "-l", "6"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        limit = time.monotonic() + 60
        while "stratifier ready" not in self.log():
            if self.process.poll() is not None or time.monotonic() > limit:
                self.close()
                raise AssertionError(f"ckpool does not start: {self.log()[-2000:]}")
            time.sleep(0.05)

    @property
    def url(self):
        return f"127.0.0.1:{self.port}"

    def log(self):
        return (self.folder / "output.log").read_text(errors="replace")

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
