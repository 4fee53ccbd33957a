"""The third-party pool of npm_pool.js on a btcd."""

import json
import os
import pathlib
import subprocess
import unittest

from bitcoin import DIFFICULTY_1, TRUE_SCRIPT
from nodes import PASSWORD, SERVERS, USER, RpcError, RpcShim, await_start, free_port

# What the pool takes for a block, so that not every share is one. (btcd's own limit is easier, and holds for the block.)
BLOCK_DIFFICULTY = 0.01


class NpmPool:
    @staticmethod
    def program():
        if not (SERVERS / "npm" / "package-lock.complete").exists():
            raise unittest.SkipTest("the pool of the npm package is not there; tests/live/get_servers.sh installs it")
        return str(SERVERS / "bin" / "node")

    def __init__(self, folder, node, difficulty, block_difficulty=BLOCK_DIFFICULTY):
        target = f"{int(DIFFICULTY_1 / block_difficulty):064x}"

        def template(parameters, ask):
            # btcd gives the bare hash of the witness commitment, which the pool would make an output script of.
            reply = ask("getblocktemplate", *parameters)
            reply.pop("default_witness_commitment", None)
            return {**reply, "target": target, "transactions": []}

        def submitblock(parameters, ask):
            if not parameters:
                raise RpcError({"code": -1, "message": "submitblock \"hexdata\""})  # how the pool finds out that it exists
            return ask("submitblock", *parameters)

        self.shim = RpcShim(
            node, getblocktemplate=template, submitblock=submitblock,
            validateaddress=lambda _, __: {"isvalid": True, "address": node.address, "scriptPubKey": TRUE_SCRIPT.hex()},
            getnetworkinfo=lambda _, __: {"protocolversion": 70016, "connections": 1},
            getpeerinfo=lambda _, __: [])
        self.port = free_port()
        settings = {"port": self.port, "address": node.address, "difficulty": difficulty,
                    "daemon": {"host": "127.0.0.1", "port": self.shim.port, "user": USER, "password": PASSWORD}}
        self.log = pathlib.Path(folder) / "npm_pool.log"
        self.out = pathlib.Path(folder) / "npm_pool.out"
        with open(self.log, "wb") as log, open(self.out, "wb") as out:
            self.process = subprocess.Popen(
                [self.program(), pathlib.Path(__file__).with_name("npm_pool.js")], stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                env={**os.environ, "POOL": json.dumps(settings), "NODE_PATH": str(SERVERS / "npm" / "node_modules")})
        await_start(self, "the npm pool", lambda: '"started"' in self.out.read_text(), self.log)

    @property
    def url(self):
        return f"127.0.0.1:{self.port}"

    def shares(self):
        """What it made of each: {"valid", "solved", "error", "hash", ...}."""
        return [entry for entry in map(json.loads, self.out.read_text().splitlines()) if "valid" in entry]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.shim.close()
