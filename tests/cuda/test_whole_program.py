"""gpuminer over a fake libcuda.so.1 (fake_driver.cpp), opened through the environment: the code that each GPU runs."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import document_of  # noqa: E402
from unittest_main import main  # noqa: E402

GPUMINER = os.environ["GPUMINER"]
BLOCK_NONCE = 274148111  # of block 100000


class WholeProgram(unittest.TestCase):
    def run_on(self, capability, version, *arguments, **changes):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        environment = {**os.environ, "FAKE_CUDA_CAPABILITY": str(capability), "FAKE_CUDA_VERSION": str(version),
                       "XDG_CACHE_HOME": cache.name, **changes}
        return subprocess.run([GPUMINER, *arguments], capture_output=True, text=True, timeout=300, env=environment)

    def cuda_device(self, capability, version, *arguments, **changes):
        listed = document_of(self.run_on(capability, version, "devices", "--json", *arguments, **changes).stdout)["devices"]
        (device,) = [device for device in listed if device["backend"] == "cuda"]
        return device

    def setUp(self):
        if not self.cuda_device(61, 13000)["usable"]:
            self.skipTest("this build has no PTX, as there was no clang")

    def test_an_old_card_runs_ptx(self):
        device = self.cuda_device(61, 12020)
        self.assertEqual((device["name"], device["usable"], device["api_version"]), ("cuda:sm_61#0", True, "CUDA 12.2"))
        self.assertTrue(device["code"].startswith("PTX, compiled by the driver"), device)
        self.assertRegex(device["driver"], r"^NVIDIA.* \(of 2023\)$")
        self.assertIn("PTX, compiled by the driver", self.run_on(61, 12020, "devices").stdout)

    def test_a_new_card_with_an_old_driver_runs_ptx_and_the_remedy_is_said(self):
        machine = self.cuda_device(90, 13000)["code"]
        if not machine.startswith("machine code"):
            self.skipTest("this build has no machine code")
        self.assertEqual(machine, "machine code for sm_90")
        self.assertEqual(self.cuda_device(90, 12040)["code"],
                         "PTX, compiled by the driver (machine code needs the NVIDIA driver 580 or newer, but this one offers "
                         "CUDA 12.4)")
        for arguments, changes in ((("--cuda-code", "ptx"), {}), ((), {"CUDA_FORCE_PTX_JIT": "1"})):
            self.assertEqual(self.cuda_device(90, 13000, *arguments, **changes)["code"], "PTX, compiled by the driver")

    def test_what_cannot_run_says_why(self):
        for capability, version, words in ((61, 9020, "the NVIDIA driver is too old: it offers CUDA 9.2, but this program needs 10.1; "
                                                      "install driver 418 or newer"),
                                           (35, 11040, "its compute capability 3.5 is older than the code of this program")):
            device = self.cuda_device(capability, version)
            self.assertFalse(device["usable"])
            self.assertIn(words, device["reason"])
        process = self.run_on(61, 13000, "devices", "--cuda-code", "fast")
        self.assertEqual((process.returncode, process.stderr),
                         (1, "gpuminer: --cuda-code: expected auto, machine or ptx, got 'fast'\n"))

    @unittest.skipIf("GPUMINER_EMULATED" in os.environ, "a fake GPU under QEMU takes minutes to be tuned")
    def test_a_search(self):
        """By the PTX's kernels, as the fake runs them."""
        process = self.run_on(61, 12020, "mine", "100000", "-d", "cuda", "--start", str(BLOCK_NONCE - 500), "--end",
                              str(BLOCK_NONCE + 500), "--json")
        self.assertEqual(process.returncode, 0, process.stderr)
        document = document_of(process.stdout)
        self.assertEqual([result["nonce"] for result in document["results"]], [BLOCK_NONCE])
        (device,) = document["devices"]
        self.assertTrue(device["code"].startswith("PTX"), json.dumps(device))
        self.assertIn("cuda:sm_61#0 joins: Fake H200, PTX, plain x1 g", process.stderr)


if __name__ == "__main__":
    main()
