"""GPUs of gpuminer.exe under Wine: OpenCL's and Vulkan's drivers of this machine, to which Wine passes on, and for CUDA and its
sensors libraries of the tests."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import document_of  # noqa: E402
from support import EXE, GENESIS_HASH, GENESIS_NONCE, PATIENCE, WINEPREFIX, ProgramTest  # noqa: E402
from unittest_main import main  # noqa: E402

FAKE_DRIVERS = pathlib.Path(os.environ["FAKE_DRIVERS"])
SYSTEM_FOLDER = pathlib.Path(WINEPREFIX, "drive_c", "windows", "system32")
NVIDIA = ("nvcuda.dll", "nvml.dll")
FAKE_GPU = {"FAKE_CUDA_CAPABILITY": "61", "FAKE_CUDA_VERSION": "12020", "FAKE_NVML_FILE": "values"}
IDENTITY = "uuid GPU-f8f9fafb-fcfd-feff-0001-020304050607\n"  # of tests/cuda/fake_driver.hpp
OPENCL = {"OCL_ICD_VENDORS": os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")}
AROUND_GENESIS = ["mine", "genesis", "--start", GENESIS_NONCE - 5000, "--end", GENESIS_NONCE + 5000, "--all"]


class GpuTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name in NVIDIA:  # a run that was killed may have left them
            (SYSTEM_FOLDER / name).unlink(missing_ok=True)

    def device(self, backend, *arguments, **variables):
        """The first one of that backend."""
        stdout, _ = self.run_exe("devices", "--json", *arguments, **variables)
        return next(device for device in document_of(stdout)["devices"] if device["backend"] == backend)

    def usable(self, backend, *arguments, **variables):
        device = self.device(backend, "--backend", backend, *arguments, **variables)
        if not device["usable"]:
            self.skipTest(f"no {backend} device works under Wine here: {device['reason']}")
        return device

    def finds_genesis(self, device, **variables):
        """The only hit of a range by this device; its part of the document."""
        stdout, stderr = self.run_exe(*AROUND_GENESIS, "-d", device["name"], "--json", **variables)
        document = document_of(stdout)
        self.assertEqual([(hit["nonce"], hit["hash"]) for hit in document["results"]], [(GENESIS_NONCE, GENESIS_HASH)])
        (used,) = document["devices"]
        self.assertEqual((used["name"], used["hashes"], used["wrong_candidates"]), (device["name"], 10001, 0))
        self.assertIn(f"{device['name']} joins: ", stderr)
        return used


class Drivers(GpuTest):
    """Of this machine."""

    def test_opencl(self):
        self.finds_genesis(self.usable("opencl", **OPENCL), **OPENCL)

    def test_a_benchmark(self):
        device = self.usable("opencl", **OPENCL)
        arguments = ["bench", "scan", "-d", device["name"], "--rounds", "3", "--seconds", "0.03", "--json"]
        document = document_of(self.run_exe(*arguments, **OPENCL)[0])
        self.assertTrue(document["verified"], document["failures"])
        self.assertEqual([row["name"] for row in document["measurements"]], [f"{device['name']} fixed", f"{device['name']} rolled"])

    def test_vulkan(self):
        """Wine's has no driver without a display."""
        if shutil.which("Xvfb") is None:
            self.skipTest("Xvfb is not installed")
        ours, its = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(its), "-nolisten", "tcp"], pass_fds=[its], stderr=subprocess.DEVNULL)
        os.close(its)
        with os.fdopen(ours) as number:
            display = {"DISPLAY": f":{number.readline().strip()}"}
        try:
            self.finds_genesis(self.usable("vulkan", **display), **display)
        finally:
            server.terminate()
            server.wait()

    def test_without_a_driver(self):
        device = self.device("cuda")
        self.assertFalse(device["usable"])
        self.assertEqual(device["reason"], "there is no NVIDIA driver that works (nvcuda.dll: not found); install driver 418 or newer")

    def test_libraries_that_lie_about_are_not_loaded(self):
        """Neither beside the program nor where it is started."""
        program = shutil.copy(EXE, self.folder)
        for library in FAKE_DRIVERS.glob("*.dll"):
            shutil.copy(library, self.folder)
        process = self.start("devices", "--json", program=program, **FAKE_GPU)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, stderr)
        (reason,) = [device["reason"] for device in document_of(stdout.decode())["devices"] if device["backend"] == "cuda"]
        self.assertIn("nvcuda.dll: not found", reason)


@unittest.skipUnless((FAKE_DRIVERS / "nvcuda.dll").exists(), "this build has no CUDA backend")
class FakeCuda(GpuTest):
    """Over the tests' nvcuda.dll and nvml.dll, which lie where NVIDIA's would."""

    def setUp(self):
        super().setUp()
        SYSTEM_FOLDER.mkdir(parents=True, exist_ok=True)
        for name in NVIDIA:
            shutil.copy(FAKE_DRIVERS / name, SYSTEM_FOLDER)
            self.addCleanup((SYSTEM_FOLDER / name).unlink)

    def gpu_says(self, text):
        new = self.folder / "new"
        new.write_text(f"{IDENTITY}{text}\n")
        new.rename(self.folder / "values")

    def test_a_card_is_described(self):
        device = self.usable("cuda", **FAKE_GPU)
        self.assertEqual((device["name"], device["api_version"], device["driver"]), ("cuda:sm_61#0", "CUDA 12.2", "NVIDIA (of 2023)"))
        self.assertTrue(device["code"].startswith("PTX, compiled by the driver"), device)

    def test_a_search_with_its_sensors(self):
        self.gpu_says("temperature 61\npower 250000\nclock 1980")
        used = self.finds_genesis(self.usable("cuda", **FAKE_GPU), **FAKE_GPU)
        self.assertTrue(used["code"].startswith("PTX"), json.dumps(used))
        self.assertEqual((used["temperature_c"], used["core_clock_mhz"]), (61, 1980))

    def test_a_hot_card_is_paused(self):
        self.gpu_says("temperature 95")
        process = self.start("mine", "genesis", "--target", "0" * 64, "--all", "-d", "cuda", "--max-temp", "90", "--events", "events",
                             **FAKE_GPU)
        with contextlib.ExitStack() as stack:
            stack.callback(process.communicate)
            stack.callback(process.kill)
            watch = threading.Timer(PATIENCE, process.kill)  # the end of what read_until() reads
            stack.callback(watch.cancel)
            watch.start()
            self.read_until(process, "cuda:sm_61#0 is paused at 95 °C until it cools to 80 °C")
            self.gpu_says("temperature 60")
            self.read_until(process, "cuda:sm_61#0 resumes at 60 °C")

    def read_until(self, process, words):
        said = []
        for line in process.stderr:
            said.append(line.decode())
            if words in said[-1]:
                return
        self.fail("".join(said))


if __name__ == "__main__":
    main()
