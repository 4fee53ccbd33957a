"""An instruction set and a backend, both named "dummy", added to a copy of the sources as HACKING.md says: two new
files and two edits, a folder and a word. lists.cpp then finds them in everything that is generated from the lists."""

import argparse
import pathlib
import platform
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Word in the names of the architecture's files; a flag that its compiler takes.
ARCHITECTURE, FLAG = {"aarch64": ("arm64", "-mstrict-align")}.get(platform.machine(), ("x86", "-mfpmath=sse"))

ISA_ROWS = f"""
GPUMINER_FEATURE(dummy, fpu, "{FLAG}", "this CPU is no dummy")
GPUMINER_ISA(dummy, "Dummy", 1, kUncounted)
GPUMINER_SEARCH(dummy, scan_dummy, dummy, "one nonce at a time, as a dummy", "lanes_dummy scan_lanes", LaneScan<DummyLanes>)
GPUMINER_BATCH(dummy, sha256d64_dummy, dummy, 1)
GPUMINER_MESSAGE(dummy, messages_dummy, dummy, kLanes)
"""

BACKEND = """// A backend with one device that cannot be opened.
#include "host/backend.h"

namespace gpuminer {

extern const Backend kDummyBackend;
const Backend kDummyBackend{
    "dummy",
    [](const DeviceOptions&) {
        Probe probe;
        probe.info.backend = "dummy";
        probe.info.kind = "none";
        probe.info.name = device_name(probe.info.backend, probe.info.kind, 0);
        return std::vector<Probe>{probe};
    },
    [](const Probe&, const DeviceOptions&) -> std::unique_ptr<Device> { throw DeviceError("it is a dummy"); },
};

}  // namespace gpuminer
"""

# Beside the backend's library the program that looks at the lists, of as few files as possible; kernels without optimisation.
BACKEND_CMAKE = """add_library(gpuminer_dummy STATIC backend.cpp)
target_link_libraries(gpuminer_dummy PUBLIC gpuminer_options gpuminer_scan_job)
set_property(TARGET gpuminer_cpu_isa PROPERTY COMPILE_OPTIONS -O0)
set(sources tests/lists/lists.cpp cli/backends.cpp host/devices/devices.cpp host/devices/probing.cpp)
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
add_executable(lists EXCLUDE_FROM_ALL ${sources})
target_link_libraries(lists PRIVATE gpuminer_cpu gpuminer_verushash_cpu gpuminer_dummy gpuminer_block gpuminer_deps_json gpuminer_deps_spdlog Threads::Threads)
"""


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name}: expected once: {old}"
    path.write_text(text.replace(old, new))


def leave_out_isas(copy):
    """All but scalar: they are not needed here, and take long to compile."""
    path = copy / f"cpu/isa_list_{ARCHITECTURE}.inc"
    rows = [row for row in path.read_text().splitlines(keepends=True)
            if not row.startswith(("GPUMINER_ISA(", "GPUMINER_SEARCH(", "GPUMINER_BATCH(", "GPUMINER_MESSAGE"))]
    path.write_text("".join(rows))


def add_isa(copy):
    cpu = copy / "cpu"
    for name in ("scan/lanes_{}.hpp", "batch/batch_{}.hpp", "batch/sha256d64_{}.cpp", "batch/messages_{}.cpp"):
        text = (cpu / name.format("scalar")).read_text()
        (cpu / name.format("dummy")).write_text(text.replace("scalar", "dummy").replace("Scalar", "Dummy"))
    with open(cpu / f"isa_list_{ARCHITECTURE}.inc", "a") as file:
        file.write(ISA_ROWS)
    features, = cpu.glob(f"machine/features_{ARCHITECTURE}*.cpp")
    edit(features, "    return features;\n", "    features.dummy = true;\n    return features;\n")


def add_backend(copy):
    folder = copy / "dummy"
    folder.mkdir()
    (folder / "backend.cpp").write_text(BACKEND)
    (folder / "CMakeLists.txt").write_text(BACKEND_CMAKE)
    edit(copy / "CMakeLists.txt", "set(GPUMINER_KNOWN_BACKENDS cpu cuda opencl vulkan)",
         "set(GPUMINER_KNOWN_BACKENDS cpu cuda opencl vulkan dummy)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("cmake", "compiler", "folder"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    copy, build = pathlib.Path(options.folder) / "copy", pathlib.Path(options.folder) / "build"
    for folder in (copy, build):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=lambda folder, names: {
        name for name in names
        if name.startswith((".", "build")) or name in ("docs", "history")
        or (pathlib.Path(folder) == ROOT / "tests" and name != "lists")})
    leave_out_isas(copy)
    add_isa(copy)
    add_backend(copy)

    def run(*command):
        subprocess.run([str(word) for word in command], check=True)

    run(options.cmake, "-G", "Ninja", "-S", copy, "-B", build, "-D", f"CMAKE_CXX_COMPILER={options.compiler}",
        "-D", "CMAKE_BUILD_TYPE=Debug", "-D", "CMAKE_CXX_FLAGS_DEBUG=-O0", "-D", "CMAKE_UNITY_BUILD=ON",
        "-D", "GPUMINER_TESTS=OFF", "-D", "GPUMINER_BENCH=OFF",
        *(f"-DGPUMINER_{api}=OFF" for api in ("CUDA", "OPENCL", "VULKAN")))
    run(options.cmake, "--build", build, "--target", "lists")
    run(build / "lists")


if __name__ == "__main__":
    main()
