"""ckpool in solo mode on Bitcoin Core, where both are in PATH. (Low difficulties need the fork ckpool-lhr.)"""

import json
import os
import pathlib
import signal
import subprocess

from nodes import PASSWORD, USER, await_start, free_port, in_path


class Ckpool:
    @staticmethod
    def program():
        return in_path("ckpool")

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
        self.log = self.folder / "output.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [self.program(), "-B", "-c", self.folder / "ckpool.conf", "-s", self.folder / "sockets", "-l", "6"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        await_start(self, "ckpool", lambda: "stratifier ready" in self.log.read_text(errors="replace"), self.log)

    @property
    def url(self):
        return f"127.0.0.1:{self.port}"

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
