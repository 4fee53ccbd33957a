"""Every document of `mine --json` against the schema, and the sums within it."""

import json
import math
import unittest

from support import BLOCK, EVERYTHING, NEAR_BLOCK, NOTHING, Case, faulty, main, run, schema

try:
    import jsonschema
except ImportError:
    jsonschema = None


@unittest.skipIf(jsonschema is None, "Python's jsonschema is not installed (Debian: python3-jsonschema)")
class Documents(Case):
    def document(self, code, *arguments, **kwargs):
        process = run(*arguments, "--json", "-q", **kwargs)
        self.assertEqual(process.returncode, code, process.stderr)
        document = json.loads(process.stdout, parse_constant=self.fail)  # Infinity and NaN are not JSON
        jsonschema.validate(document, schema("mine"))
        return document

    def test_schema_for_each_exit_code(self):
        self.assertEqual(self.document(0, *NEAR_BLOCK)["ending"], "finished")
        self.assertEqual(self.document(0, "grind", BLOCK, *NEAR_BLOCK)["ending"], "finished")
        self.assertEqual(self.document(2, "mine", BLOCK, "--end", "0")["ending"], "finished")
        self.assertEqual(self.document(3, "mine", BLOCK, *NOTHING, "--time-limit", "0.3")["ending"], "limit")
        self.document(0, "mine", BLOCK, "--target", EVERYTHING, "--end", "0", "--all")
        self.document(0, "mine", BLOCK, "--target", EVERYTHING, "--end", "500", "--all", "--roll-versions", "2000")

    def test_sums(self):
        for partition in ("static", "dynamic"):
            document = self.document(2, "mine", BLOCK, *NOTHING, "--end", "300000", "-t", "2", "--partition", partition)
            self.assertEqual(document["hashes"], 300001)
            self.assertEqual(sum(device["hashes"] for device in document["devices"]), 300001)
            self.assertEqual(document["partition"], partition)
            self.assertTrue(math.isclose(document["hash_rate"], document["hashes"] / document["seconds"], rel_tol=1e-6))
            for device in document["devices"]:
                cycles = device["cycles_per_hash"]
                if device["hashes"] and cycles:
                    self.assertLessEqual(cycles["min"], cycles["avg"] * (1 + 1e-9))
                    self.assertLessEqual(cycles["avg"], cycles["max"] * (1 + 1e-9))

    def test_failing_devices(self):
        document = self.document(5, "mine", "genesis", "--end", "9999", **faulty("dead,blind,liar"))
        self.assertEqual(document["ending"], "failed")
        failures = [device.get("failure", "") for device in document["devices"]]
        for failure, words in zip(failures, ("the card fell off the bus", "self-test failed", "the third one"), strict=True):
            self.assertIn(words, failure)
        document = self.document(2, "mine", "genesis", "--end", "9999", **faulty("good,dead"))
        self.assertEqual([device["name"] for device in document["devices"] if "failure" in device], ["cpu:dead#1"])

    def test_without_a_cycle_counter(self):
        arguments = ["mine", "genesis", "--end", "9999"]
        counted = self.document(2, *arguments, **faulty("good"))
        self.assertEqual(counted["devices"][0]["cycles_per_hash"], {"avg": 10, "min": 10, "max": 10})
        self.assertEqual((counted["devices"][0]["cycles_total"], counted["tsc_hz"]), (100000, 1e9))
        uncounted = self.document(2, *arguments, **faulty("uncounted", counter="none"))
        self.assertEqual([uncounted["devices"][0][key] for key in ("cycles_per_hash", "cycles_total")], [None, None])
        self.assertIsNone(uncounted["tsc_hz"])
        self.assertIn("rdtscp", uncounted["note"])

    def test_static_pieces(self):
        for limit in ("0.2", "2", "20", "200"):  # on a busy machine some come before the range is cut
            document = self.document(3, "mine", BLOCK, *NOTHING, "-t", "3", "--partition", "static", "--time-limit", limit)
            pieces = [(device["start"], device["end"]) for device in document["devices"]]
            if pieces[0][0] <= pieces[0][1]:
                break
        self.assertEqual(pieces, [(0, 0x55555555), (0x55555556, 0xAAAAAAAA), (0xAAAAAAAB, 0xFFFFFFFF)])

    def test_other_commands(self):
        document = json.loads(run("verify", "100000", "--json").stdout)
        self.assertTrue(document["valid"])
        document = json.loads(run("explain", "100000", "--json", "--steps").stdout)
        self.assertIsInstance(document, dict)


if __name__ == "__main__":
    main()
