"""Packages made once more, from a copy of the sources in another folder, without the compilers' cache, at another time, with
another umask, time zone and language: the same files, bit by bit."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unittest_main import main  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = pathlib.Path(os.environ.get("PACKAGES", "packages"))
BUILD = PACKAGES.parent  # of the preset of this name
# What a build may be told that packages depend on.
OPTIONS = ("CMAKE_CXX_COMPILER", "GPUMINER_CUDA", "GPUMINER_CUDA_ARCHITECTURES", "GPUMINER_NVCC", "GPUMINER_CLANG", "GPUMINER_OPENCL",
           "GPUMINER_VULKAN", "GPUMINER_MAINTAINER", "CMAKE_TOOLCHAIN_FILE",
           "GPUMINER_WERROR")  # nvcc writes it into machine code


def copy_sources(folder):
    """What git knows or does not ignore; of an unpacked archive everything but build/."""
    if (ROOT / ".git").exists():
        said = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True)
        for name in filter(None, said.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
    else:
        shutil.copytree(ROOT, folder, ignore=lambda path, _: ["build"] if pathlib.Path(path) == ROOT else [], dirs_exist_ok=True)


def made_of(build):
    """(commit, seconds) that the packages were made of."""
    commit = re.search(r'kCommit\[\] = "([^"]*)"', (build / "gpuminer_build_info.hpp").read_text())[1]
    return commit, (build / "packaging" / "source_date").read_text().strip()


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


class Reproducible(unittest.TestCase):
    def test_another_build_makes_the_same_files(self):
        cache = dict(re.findall(r"^([A-Za-z_0-9]+):[A-Z]+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE))
        commit, epoch = made_of(BUILD)
        options = [f"-D{name}={cache[name]}" for name in OPTIONS if cache.get(name)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CCACHE", "LC_", "CUDACXX"))}
        environment |= {"CCACHE_DISABLE": "1", "TZ": "Pacific/Chatham", "LANG": "C", "HOME": "/nonexistent", "SOURCE_DATE_EPOCH": epoch,
                        "CMAKE_BUILD_PARALLEL_LEVEL": os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))}
        with tempfile.TemporaryDirectory(prefix="another-folder-") as folder:
            copy = pathlib.Path(folder) / "sources"
            copy.mkdir()
            copy_sources(copy)
            for command in (["cmake", "-S", copy, "--preset", BUILD.name, f"-DGPUMINER_COMMIT={commit}", "-DGPUMINER_TESTS=OFF", *options],
                            ["cmake", "--build", copy / "build" / BUILD.name, "--target", "package"]):
                process = subprocess.run(command, cwd=copy, env=environment, umask=0o077, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(process.returncode, 0, process.stdout[-3000:])
            self.assertEqual(digests(copy / "build" / BUILD.name / "packages"), digests(PACKAGES))


if __name__ == "__main__":
    main()
