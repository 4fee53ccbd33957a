"""libgpuminer as `cmake --install` leaves it: its symbols, programs in C and C++ by pkg-config and by CMake, the examples."""

import ctypes
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from unittest_main import main  # noqa: E402

EXAMPLES = ROOT / "library" / "examples"
STRICT = ("-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror")
FUNCTIONS = {"gm_" + name for name in re.findall(r"^GM_API .*?\bgm_(\w+)\(", (ROOT / "library/include/gpuminer.h").read_text(), re.MULTILINE)}
CMAKE_PROJECT = """cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(gpuminer 0.1 REQUIRED)
foreach(kind gpuminer static)
  add_executable(by_${kind} solve.c)
  target_link_libraries(by_${kind} PRIVATE gpuminer::${kind})
endforeach()
"""
# It has the same functions of the standard library in groups of sections of the same names.
CXX_USER = """#include <gpuminer.h>
#include <string>
#include <thread>
#include <vector>
int main(int argc, char**) {
    std::vector<std::string> texts;
    std::jthread thread([&] { for (int i = 0; i < argc + 2; ++i) texts.push_back(std::to_string(i) + gm_error_text(i)); });
    thread.join();
    unsigned char hash[32];
    return gm_sha256d(hash, texts[0].data(), texts[0].size());
}
"""


def run(*command, **options):
    process = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if process.returncode != 0:
        raise AssertionError(f"{command}: {process.returncode}\n{process.stdout[-2000:]}{process.stderr[-4000:]}")
    return process.stdout


def hash_of(header):
    return hashlib.sha256(hashlib.sha256(header).digest()).digest()


def symbols(file, *options):
    """{(letter, name)}, as nm prints them."""
    lines = run("nm", *options, "--format=posix", file).splitlines()
    return {(words[1], words[0].split("@")[0]) for words in map(str.split, lines) if len(words) > 1}


@unittest.skipUnless(shutil.which("cc") and shutil.which("pkg-config"), "there is no C compiler or no pkg-config")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run(os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", cls.prefix, "--component", "library")
        cls.lib = next(cls.prefix.rglob("libgpuminer.a")).parent
        cls.environment = os.environ | {"LD_LIBRARY_PATH": str(cls.lib), "PKG_CONFIG_PATH": str(cls.lib / "pkgconfig"),
                                        "LIBGPUMINER": str(cls.lib / "libgpuminer.so.0.1")}

    def flags(self, *options):
        return run("pkg-config", *options, "gpuminer", env=self.environment).split()

    def check_solves(self, program):
        headers = [bytes.fromhex(line) for line in run(program, "25", env=self.environment).split()]
        self.assertEqual(len(headers), 25)
        for before, header in zip([bytes(80), *headers], headers):
            self.assertEqual((len(header), header[72:76].hex()), (80, "ffff7f20"))
            self.assertLess(hash_of(header)[31], 0x80)
            self.assertEqual(header[4:36], bytes(32) if before == bytes(80) else hash_of(before))

    # --- what others see of it ---

    def test_the_shared_library_shows_its_functions_alone(self):
        library = self.lib / "libgpuminer.so"
        self.assertEqual({name for _, name in symbols(library, "-D", "--defined-only")}, FUNCTIONS)
        needed = re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", library))
        self.assertIn(("SONAME", "libgpuminer.so.0.1"), needed)
        self.assertEqual([name for kind, name in needed if kind != "SONAME" and not re.match(r"(libc|libm|ld-linux[a-z0-9-]*)\.so", name)], [])
        self.assertEqual(os.readlink(library), "libgpuminer.so.0.1")
        self.assertIn("NODELETE", run("readelf", "--wide", "--dynamic", library))  # else each dlopen() costs memory

    def test_the_static_library_shows_its_functions_alone(self):
        library = self.lib / "libgpuminer.a"
        self.assertEqual({name for _, name in symbols(library, "--extern-only", "--defined-only")}, FUNCTIONS)
        self.assertEqual(run("ar", "t", library).split(), ["libgpuminer.o"])

    def test_neither_handles_signals_or_takes_openssl(self):
        for library, options in (("libgpuminer.so", ["-D"]), ("libgpuminer.a", [])):
            names = {name for _, name in symbols(self.lib / library, *options, "--undefined-only")}
            self.assertEqual(names & {"signal", "sigaction"}, set(), library)
            self.assertEqual([name for name in names if name.startswith(("SHA", "EVP", "OPENSSL"))], [], library)

    # --- what it computes, by hashlib ---

    def test_messages_of_each_length(self):
        library = ctypes.CDLL(self.environment["LIBGPUMINER"])
        seeded = random.Random(43)
        for lengths in (range(301), range(300, -1, -1), seeded.sample(range(301), 301), [55] * 40, [100_000, *range(20)], [7]):
            messages = [seeded.randbytes(length) for length in lengths]
            count = len(messages)
            out = ctypes.create_string_buffer(32 * count)
            sizes = (ctypes.c_size_t * count)(*lengths)
            self.assertEqual(library.gm_sha256d_messages(out, (ctypes.c_char_p * count)(*messages), sizes, ctypes.c_size_t(count)), 0)
            self.assertEqual(out.raw, b"".join(map(hash_of, messages)))

    # --- how programs are built with it ---

    def test_pkg_config_shared(self):
        program = self.folder / "shared"
        run("cc", "-std=c99", *STRICT, EXAMPLES / "solve.c", "-o", program, *self.flags("--cflags", "--libs"))
        self.check_solves(program)

    def test_pkg_config_static(self):
        program = self.folder / "static"
        libraries = [str(self.lib / "libgpuminer.a") if flag == "-lgpuminer" else flag for flag in self.flags("--static", "--cflags", "--libs")]
        run("cc", "-std=c11", *STRICT, EXAMPLES / "solve.c", "-o", program, *libraries)
        self.check_solves(program)
        self.assertNotIn("libgpuminer", run("readelf", "--dynamic", program))

    def test_cpp_static(self):
        source, program = self.folder / "user.cpp", self.folder / "user"
        source.write_text(CXX_USER)
        for options in ([], ["-O2"]):
            run(os.environ["CXX"], "-std=c++20", *STRICT, *options, source, "-o", program, *self.flags("--cflags"), self.lib / "libgpuminer.a", "-pthread")
            run(program)

    def test_the_header_compiles_as_anything(self):
        for language, standard in (("c", "c99"), ("c", "gnu17"), ("c", "c89"), ("c++", "c++98"), ("c++", "c++11"), ("c++", "c++20")):
            source = self.folder / "header.inc"
            source.write_text('#include <gpuminer.h>\n#include "gpuminer.h"\nint main(void) { return gm_version()[0] == 0; }\n')
            run(os.environ["CXX"], "-x", language, f"-std={standard}", *STRICT, "-fsyntax-only", *self.flags("--cflags"), source)
        self.assertLessEqual(len((ROOT / "library/include/gpuminer.h").read_text().splitlines()), 100)

    def test_cmake(self):
        (self.folder / "user-project").mkdir()
        (self.folder / "user-project/CMakeLists.txt").write_text(CMAKE_PROJECT)
        shutil.copy(EXAMPLES / "solve.c", self.folder / "user-project")
        build, link = self.folder / "user-build", self.folder / "link"
        link.mkdir()
        (link / "lib").symlink_to(self.lib)  # as /lib is one
        run(os.environ["CMAKE"], "-S", self.folder / "user-project", "-B", build, f"-DCMAKE_PREFIX_PATH={link}")
        run(os.environ["CMAKE"], "--build", build)
        for kind in ("gpuminer", "static"):
            self.check_solves(build / f"by_{kind}")

    def test_python(self):
        said = run(sys.executable, EXAMPLES / "solve.py", "207fffff", "30", "2000ffff", "2", env=self.environment).splitlines()
        self.assertEqual(len(said), 2)
        for line in said:
            self.assertRegex(line, r"^nBits [0-9a-f]{8}: \d+ headers, .* [0-9.]+ times as fast$")


if __name__ == "__main__":
    main()
