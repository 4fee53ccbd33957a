"""packaging/: facts read from the linker's map and from ninja, the packages that own files, and messages about surprises."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "packaging")]
import licences  # noqa: E402
import linked  # noqa: E402
import links  # noqa: E402
import package  # noqa: E402
from unittest_main import main  # noqa: E402

MAP = """Archive member included to satisfy reference by file (symbol)

host/libgpuminer_block.a(unity_0_cxx.cxx.o)
                              cli/CMakeFiles/gpuminer.dir/main.cpp.o (gpuminer::f())
/usr/lib/x86_64-linux-gnu/libcrypto.a(libcrypto-lib-x.o)
                              host/libgpuminer_block.a(unity_0_cxx.cxx.o) (SHA256)

Linker script and memory map

LOAD /usr/lib/x86_64-linux-gnu/crti.o
LOAD cli/CMakeFiles/gpuminer.dir/main.cpp.o
LOAD /usr/lib/x86_64-linux-gnu/libm.so.6
LOAD host/libgpuminer_block.a
"""
DEPS = """host/CMakeFiles/gpuminer_block.dir/Unity/unity_0_cxx.cxx.o: #deps 3, deps mtime 1 (VALID)
    /source/host/block/header.cpp
    /usr/include/boost/asio.hpp

cli/CMakeFiles/gpuminer.dir/main.cpp.o: #deps 2, deps mtime 1 (VALID)
    /usr/include/fmt/format.h
    /build/generated.hpp

tests/CMakeFiles/test_x.dir/unity_0_cxx.cxx.o: #deps 1, deps mtime 1 (VALID)
    /usr/include/catch2/catch.hpp
"""


class Contents(unittest.TestCase):
    def test_what_the_linker_took(self):
        members, objects = linked.linked_files(MAP)
        self.assertEqual(members, [("/usr/lib/x86_64-linux-gnu/libcrypto.a", "libcrypto-lib-x.o"),
                                   ("host/libgpuminer_block.a", "unity_0_cxx.cxx.o")])
        self.assertEqual(objects, ["/usr/lib/x86_64-linux-gnu/crti.o", "cli/CMakeFiles/gpuminer.dir/main.cpp.o"])
        with self.assertRaisesRegex(SystemExit, "expected a map of GNU ld"):
            linked.linked_files("VMA LMA Size Align Out In Symbol\n")

    def test_headers_of_what_was_linked(self):
        patterns, names = linked.own_objects(*linked.linked_files(MAP), "/build")
        headers = linked.compiled_headers(DEPS, patterns, names, "/source", "/build", "")
        self.assertEqual(headers, {"/usr/include/boost/asio.hpp", "/usr/include/fmt/format.h"})
        with self.assertRaisesRegex(SystemExit, "no dependencies of 1 objects of the program, such as cli/CMakeFiles"):
            linked.compiled_headers(DEPS.replace("main.cpp.o", "other.cpp.o"), patterns, names, "/source", "/build", "")

    def test_headers_of_a_root(self):
        """It lies in the source's folder, and is not of the source; ccache makes paths relative."""
        patterns, names = linked.own_objects(*linked.linked_files(MAP), "/source/build/other")
        root = "/source/build/other-root"
        deps = DEPS.replace("/source/host", "../../host").replace("/usr/include/boost", "../other-root/usr/include/boost").replace(
            "/usr/include/fmt", f"{root}/usr/include/fmt").replace("/build/generated", "generated")
        headers = linked.compiled_headers(deps, patterns, names, "/source", "/source/build/other", root)
        self.assertEqual(headers, {f"{root}/usr/include/boost/asio.hpp", f"{root}/usr/include/fmt/format.h"})

    def test_objects_by_commands(self):
        """Ninja keeps no dependencies of them: the compiler has written them beside."""
        with tempfile.TemporaryDirectory() as build:
            name = "host/linux/block/unity_0_cxx.cxx.o"
            path = pathlib.Path(build, f"{name}.d")
            path.parent.mkdir(parents=True)
            path.write_text(f"{name}: /source/block.cpp ../generated.hpp \\\n  /usr/lib/clang/immintrin.h\n")
            patterns, names = linked.own_objects(*linked.linked_files(MAP), build, [name])
            self.assertEqual((patterns, names), ([], {name, "cli/CMakeFiles/gpuminer.dir/main.cpp.o"}))
            deps = DEPS + linked.dependencies_by_commands([name], build)
            self.assertEqual(linked.compiled_headers(deps, patterns, names, "/source", build, ""),
                             {"/usr/lib/clang/immintrin.h", "/usr/include/fmt/format.h", "/build/generated.hpp"})

    def test_packages_of_files(self):
        found = linked.packages_with(["/usr/share/doc/libc6/copyright", "/lib64/ld-linux-x86-64.so.2"], "linked", "")
        self.assertEqual([one.name for one in found], ["libc6"])
        self.assertEqual((found[0].source, found[0].use), ("glibc", "linked"))
        self.assertIn("GNU C Library", licences.copyright_text(found[0]))
        with tempfile.NamedTemporaryFile() as file, self.assertRaisesRegex(SystemExit, f"1 others, such as {file.name}"):
            linked.packages_with([file.name], "linked", "")

    def test_packages_of_a_root(self):
        """For another machine: what the root's dpkg says, and of files outside this machine's."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "var/lib/dpkg/info").mkdir(parents=True)
            (root / "var/lib/dpkg/status").write_text(
                "Package: libthing-dev\nStatus: install ok installed\nSource: thing\nVersion: 1.2-3\nArchitecture: riscv64\n"
                "Maintainer: nobody <a@b.invalid>\nDescription: x\n\n")
            (root / "var/lib/dpkg/info/libthing-dev.list").write_text("/.\n/usr\n/usr/lib\n/usr/lib/libthing.a\n")
            (root / "usr/lib").mkdir(parents=True)
            (root / "usr/lib/libthing.a").touch()
            found = linked.packages_with([str(root / "usr/lib/libthing.a"), "/usr/share/doc/libc6/copyright"], "linked", str(root))
            self.assertEqual([(one.name, one.source, one.version, one.root) for one in found][0],
                             ("libthing-dev", "thing", "1.2-3", str(root)))
            self.assertEqual(found[1].name, "libc6")
            with self.assertRaisesRegex(SystemExit, f"expected the licence of libthing-dev in {root}/usr/share/doc"):
                licences.copyright_text(found[0])

    def test_the_public_suffix_list_has_its_licence(self):
        libc, = linked.packages_with(["/usr/share/doc/libc6/copyright"], "linked", "")
        libpsl = linked.Package("libc6", "amd64", "1", "libpsl", "1", "", "linked")  # whose copyright file is there
        for path, packages, result in ((pathlib.Path("/nowhere"), [libc], None), (pathlib.Path("/nowhere"), [libpsl], "install the package publicsuffix"),
                                       (pathlib.Path(__file__), [libpsl], None)):
            with self.subTest(path=path, packages=packages), unittest.mock.patch.object(licences, "PUBLIC_SUFFIX_LIST", path):
                if result:
                    with self.assertRaisesRegex(SystemExit, result):
                        licences.text("1", packages)
                else:
                    self.assertEqual("the Public Suffix List" in licences.text("1", packages), packages == [libpsl])

    def test_nobody_has_looked_at_a_licence(self):
        def expression(source, name="it"):
            return licences.expression(linked.Package(name, "amd64", "1", source, "1", "", "linked"))

        self.assertEqual(expression("openssl"), "Apache-2.0")
        self.assertEqual(expression("boost1.83"), "BSL-1.0")
        self.assertEqual(expression("openssl-of-somebody"), "NOASSERTION")
        # One source, glibc and Linux's headers.
        self.assertEqual(expression("cross-toolchain-base (62)", "libc6-dev-arm64-cross"), "LGPL-2.1-or-later")
        self.assertEqual(expression("cross-toolchain-base (62)", "linux-libc-dev-arm64-cross"), "GPL-2.0-only WITH Linux-syscall-note")

    def test_links_of_the_source(self):
        pages = [*ROOT.glob("*.md"), *(page for folder in ("bench", "docs", "tests") for page in (ROOT / folder).rglob("*.md"))]
        self.assertGreater(len(pages), 20)
        self.assertEqual(links.dangling(ROOT, pages), [])

    @unittest.skipUnless("BUILD" in os.environ, "there is no build to install")
    def test_links_of_what_is_installed(self):
        with tempfile.TemporaryDirectory() as name:
            for component in ("common", "local"):  # whose manifests are not the user's install_manifest.txt
                subprocess.run([os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", name, "--component", component],
                               check=True, capture_output=True)
            folder = pathlib.Path(name, "share/doc/gpuminer")
            pages = list(folder.rglob("*.md"))
            self.assertEqual(links.dangling(folder, pages), [])
            source = [ROOT / page.relative_to(folder) for page in pages]
            self.assertIn("- HACKING.md: how the code is organised", (folder / "README.md").read_text())
            self.assertIn("](LICENSE)", (folder / "README.md").read_text())
            for page, original in zip(pages, source, strict=True):  # nothing else is changed
                plain = [re.sub(r"\[([^][]*)\]\([^()]*\)", r"\1", path.read_text()) for path in (page, original)]
                self.assertEqual(*plain, page.name)

    def test_what_no_default_run_executes_is_python(self):
        for path in sorted((ROOT / "tests" / "packages").glob("*.py")):
            compile(path.read_text(), path, "exec")

    def test_the_changelog_has_the_version(self):
        version = subprocess.run(["sed", "-nE", r"s/^project\(gpuminer VERSION ([0-9.]+) .*/\1/p", ROOT / "CMakeLists.txt"],
                                 capture_output=True, text=True).stdout.strip()
        self.assertTrue(package.changes(ROOT, version).startswith(f"## {version}"))
        with self.assertRaisesRegex(SystemExit, "expected a section about 99.9"):
            package.changes(ROOT, "99.9")

    def test_the_time_of_the_source(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            (source / "cmake").mkdir()
            (source / "CHANGELOG.md").touch()
            (source / "cmake/commit.txt").write_text("time 1234567\n")
            with unittest.mock.patch.dict("os.environ", {"SOURCE_DATE_EPOCH": ""}):
                self.assertEqual(package.source_date(source), 1234567)
            with unittest.mock.patch.dict("os.environ", {"SOURCE_DATE_EPOCH": "99"}):
                self.assertEqual(package.source_date(source), 99)
            with unittest.mock.patch.dict("os.environ", {"SOURCE_DATE_EPOCH": "soon"}), self.assertRaisesRegex(SystemExit, "number of seconds"):
                package.source_date(source)


if __name__ == "__main__":
    main()
