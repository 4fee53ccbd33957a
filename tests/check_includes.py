#!/usr/bin/env python3
"""Check of the include arrows between folders by include_arrows.txt: a complete list, without unused ones or cycles.
And of the system's headers and types: they are in files NAME_posix.cpp, NAME_linux.cpp and NAME_windows.cpp alone.

usage: check_includes.py [ROOT]
"""
import pathlib
import re
import sys

LIST = "tests/include_arrows.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".cl", ".comp", ".glsl"}
NOT_CHECKED = ("tests/", "cmake/")  # tests may look at everything
TWIN = re.compile(r"_(posix|linux|windows)\.cpp$")
WITHOUT_SYSTEM = {"kernel", "cpu", "host", "net", "web", "cli", "cuda", "opencl", "vulkan", "bench"}  # but for twins
WITH_SYSTEM = "bench/tools/"  # programs for Linux alone
SYSTEM_INCLUDE = re.compile(r'^\s*#\s*include\s+(<[^>]+\.h>)', re.MULTILINE)
PORTABLE_INCLUDE = re.compile(r"<((CL|fmt|openssl|spdlog|toml\+\+)/|(arm_neon|cpuid|immintrin|libpsl|smmintrin)\.h)")
SYSTEM_WORD = re.compile(r"\b(struct stat|termios|(?:mode|off|pid|socklen|ssize)_t|sockaddr\w*|STD(?:IN|OUT|ERR)_FILENO|"
                         r"_WIN32|__linux__|__APPLE__)\b")


def read_rules(text):
    """{folder: [allowed folder, …]} from the text of the list."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {folder: allowed for folder, *allowed in lines}


def read_arrows(sources):
    """{(from, to): an example} from {path: text}; only includes of files that are among the sources count."""
    arrows = {}
    for path, text in sorted(sources.items()):
        origin = str(pathlib.PurePosixPath(path).parent)
        for name in INCLUDE.findall(text):
            target = str(pathlib.PurePosixPath(name).parent)
            if name in sources and target != origin:
                arrows.setdefault((origin, target), f"{path} includes {name}")
    return arrows


def covers(rule, folder):
    return folder == rule or (rule.endswith("/") and f"{folder}/".startswith(rule))


def system_complaints(sources):
    """Headers and types of the system in files that are for all systems."""
    found = []
    for path, text in sorted(sources.items()):
        if TWIN.search(path) or path.split("/")[0] not in WITHOUT_SYSTEM or path.startswith(WITH_SYSTEM):
            continue
        headers = [f"#include {name}" for name in SYSTEM_INCLUDE.findall(text) if not PORTABLE_INCLUDE.match(name)]
        found += [f"{path} has {what}, which belongs in a file NAME_posix.cpp, NAME_linux.cpp or NAME_windows.cpp"
                  for what in dict.fromkeys(headers + SYSTEM_WORD.findall(text))]
    return found


def circle(arrows):
    """Folders that include each other in a circle, in order; empty where there is none."""
    follow = {}
    for origin, target in arrows:
        follow.setdefault(origin, set()).add(target)
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        path.append(folder)
        for target in sorted(follow.get(folder, ())):
            if found := visit(target):
                return found
        path.pop()
        done.add(folder)
        return []

    for folder in sorted(follow):
        if found := visit(folder):
            return found
    return []


def complaints(rules, arrows):
    found = []
    for (origin, target), example in arrows.items():
        if not any(covers(rule, target) for rule in rules.get(origin, ())):
            found.append(f"{origin} may not include {target}: {example}")
    for origin, allowed in rules.items():
        for rule in allowed:
            if not any(start == origin and covers(rule, target) for start, target in arrows):
                found.append(f"{LIST} lets {origin} include {rule}, and nothing does")
    if folders := circle(arrows):
        found.append("folders include each other in a circle: " + " -> ".join(folders))
    return found


def self_test():
    """That the checks can fail: an arrow that is not listed, one that does not exist, a circle; headers of a system."""
    rules = read_rules("# Words.\n\ncli host/ net\nnet host\nhost/block\n")
    assert rules == {"cli": ["host/", "net"], "net": ["host"], "host/block": []}, rules
    good = {"cli/a.cpp": '#include "net/b.hpp"\n#include "host/block/c.hpp"\n', "net/b.hpp": '#include "host/d.hpp"\n',
            "host/block/c.hpp": '#include <vector>\n#include "generated.hpp"\n', "host/d.hpp": ""}
    assert complaints(rules, read_arrows(good)) == []
    bad = dict(good, **{"host/block/c.hpp": '  #  include "cli/e.hpp"\n', "cli/e.hpp": "", "net/b.hpp": ""})
    assert complaints(rules, read_arrows(bad)) == [
        "host/block may not include cli: host/block/c.hpp includes cli/e.hpp",
        f"{LIST} lets net include host, and nothing does",
        "folders include each other in a circle: cli -> host/block -> cli"], complaints(rules, read_arrows(bad))
    posix = '#include <cstdio>\n#include <fmt/format.h>\n # include <sys/stat.h>\nstruct stat status_of(int);\n'
    expected = [f"net/a.hpp has {what}, which belongs in a file NAME_posix.cpp, NAME_linux.cpp or NAME_windows.cpp"
                for what in ("#include <sys/stat.h>", "struct stat")]
    found = system_complaints({"net/a.hpp": posix, "net/a_posix.cpp": posix, "net/a_windows.cpp": posix, "bench/tools/a.cpp": posix, "mpi/a.cpp": posix})
    assert found == expected, found


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    self_test()
    folders = [entry for entry in root.iterdir() if (entry / "CMakeLists.txt").exists()]
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in SOURCES]
    sources = {str(file.relative_to(root)): file.read_text() for file in files}
    sources = {path: text for path, text in sources.items() if not path.startswith(NOT_CHECKED) and
               not path.startswith("build")}
    arrows = read_arrows(sources)
    if "--print" in sys.argv[2:]:
        for origin in sorted({origin for origin, _ in arrows}):
            print(f"{origin:<15}", *sorted(target for start, target in arrows if start == origin))
        return 0
    found = complaints(read_rules((root / LIST).read_text()), arrows) + system_complaints(sources)
    print("\n".join(found) or f"{len(arrows)} arrows between folders, all of them in {LIST}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
