"""The list of devices, and the choice among them."""

import json

from support import BLOCK, NEAR_BLOCK, Case, document_of, main, mine, needs_jsonschema, run

def listed(*arguments):
    return json.loads(run("devices", "--json", *arguments).stdout)["devices"]


class Devices(Case):
    def test_list(self):
        isa = ["--isa", "scalar"]  # `auto` may decide differently from one start to the next
        devices = listed(*isa)
        numbers = [device["number"] for device in devices if device["number"] is not None]
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertEqual(len({device["name"] for device in devices}), len(devices))
        used = [device for device in devices if device["used_by_default"]]
        self.assertGreaterEqual(len(used), 1)
        for device in devices:
            self.assertTrue(device["used_by_default"] or device["reason"], device)
        process = run("devices", *isa)
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(max(map(len, process.stdout.decode().splitlines())), 120)
        for device in devices:
            self.assertIn(device["name"], process.stdout.decode())

    @needs_jsonschema
    def test_schema(self):
        self.assertEqual(document_of(run("devices", "--json").stdout)["format"], "gpuminer devices")

    def test_those_used_by_default(self):
        wanted = [device["name"] for device in listed("--backend", "cpu") if device["used_by_default"]]
        document = mine("100000", *NEAR_BLOCK, "--backend", "cpu")
        # `auto` may decide differently from one start to the next; how many there are is certain.
        self.assertEqual(len(document["devices"]), len(wanted))

    def test_by_name_and_number(self):
        isa = ["--isa", "scalar"]
        names = [device["name"] for device in listed(*isa, "--backend", "cpu")]
        for choice, wanted in (("0", names[:1]), (names[-1], names[-1:]), (f"{names[0]},0", names[:1]),
                               (str(len(names) - 1), names[-1:])):
            document = mine("100000", *NEAR_BLOCK, "-d", choice, *isa)
            self.assertEqual([device["name"] for device in document["devices"]], wanted)

    def test_threads(self):
        for threads in (1, 2, 5):
            document = mine("100000", *NEAR_BLOCK, "-t", str(threads))
            self.assertEqual(len(document["devices"]), threads)
            self.assertTrue(document["found"])

    def test_wrong_choices(self):
        names = [device["name"] for device in listed("--isa", "scalar")]
        message = self.expect_error(1, "-d: expected", "mine", BLOCK, "-d", "99999", "--isa", "scalar")
        self.assertIn(names[0], message)
        self.expect_error(1, "'cpu:nothing'", "mine", BLOCK, "-d", "cpu:nothing")
        self.expect_error(1, "-d: expected", "mine", BLOCK, "-d", "")
        self.expect_error(1, "-d: expected", "mine", BLOCK, "-d", "0,,1")
        self.expect_error(1, "'tpu'", "mine", BLOCK, "--backend", "tpu")
        self.expect_error(1, "--backend: expected", "mine", BLOCK, "--backend", "")
        self.expect_error(1, "--backend: expected", "mine", BLOCK, "--backend", "cpu,")
        for arguments in (["--backend", "gpu"], ["-d", "gpu"]):
            self.expect_error(1, "got 'gpu'; --backend cuda,opencl,vulkan takes all GPUs\n", "mine", BLOCK, *arguments)

    def test_backends_not_built_in(self):
        missing = [device for device in listed() if device["number"] is None]
        for device in missing:
            self.assertEqual((device["name"], device["usable"]), (device["backend"], False))
            self.assertRegex(device["reason"], "^not part of this build; install .* and configure again$")
            self.expect_error(4, f"{device['name']}: not part of this build; ", "mine", BLOCK, *NEAR_BLOCK, "--backend", device["name"])
            process = run("mine", BLOCK, *NEAR_BLOCK, "--backend", f"cpu,{device['name']}")
            self.assertEqual(process.returncode, 0)
            self.assertIn(f"warning: {device['name']} is not used: not part of this build; ", process.stderr.decode())
        if not missing:
            self.skipTest("all backends are part of this build")

    def test_affinity_and_priority(self):
        for arguments in (["--cpu-affinity", "0"], ["--cpu-priority", "0"], ["--cpu-priority", "2"], ["-i", "12"]):
            self.assertTrue(mine("100000", *NEAR_BLOCK, "-t", "1", *arguments)["found"], arguments)
        self.assertIn(run("mine", "100000", *NEAR_BLOCK, "--cpu-affinity", "4000").returncode, (1, 4))


if __name__ == "__main__":
    main()
