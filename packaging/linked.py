"""The parts of the portable program beside the project's own files: Debian packages, found by the files that the linker and the
compiler report to have read.

- Archives and objects that were linked: the linker's map (GNU ld).
- Headers whose code was compiled into it: the dependencies that ninja keeps of each object of the program, or those in the file
  beside it where a command of our own has compiled it.
- Files that are embedded (the parts of D3): named by CMake.
"""

import dataclasses
import os
import pathlib
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Package:
    """A binary package of the distribution, and how the program uses it."""

    name: str
    architecture: str
    version: str
    source: str
    source_version: str
    homepage: str
    use: str  # "linked" (archives, objects), "compiled" (headers) or "embedded" (files)
    root: str = ""  # where it is installed: "" for this machine


MEMBER = re.compile(r"^(\S+\.a)\(([^)]+)\)$")
LOADED = re.compile(r"^LOAD (\S+)$")
USES = ("linked", "embedded", "compiled")  # where a package is used in several ways, the first one counts


def linked_files(map_text):
    """(archives and members of archives, objects) that the linker took, as the map names them."""
    if "Archive member included" not in map_text:
        raise SystemExit("expected a map of GNU ld with the archive members that are included, got another one")
    members = [match.groups() for line in map_text.splitlines() if (match := MEMBER.match(line.strip()))]
    objects = [match[1] for line in map_text.splitlines() if (match := LOADED.match(line)) and match[1].endswith((".o", ".obj"))]
    return sorted(set(members)), sorted(set(objects))


def own_objects(members, objects, build, by_commands=()):
    """Patterns that match the names which ninja has for the objects that the project has compiled, and names, of those `by_commands`, too
    (their paths below the build's)."""
    patterns, names = [], {name.removeprefix(f"{build}/") for name in objects}
    for archive, member in members:
        if not pathlib.PurePath(archive).is_absolute() or archive.startswith(f"{build}/"):
            folder = pathlib.PurePath(archive.removeprefix(f"{build}/"))
            if ours := [name for name in by_commands if name.startswith(f"{folder.parent}/") and name.endswith(f"/{member}")]:
                names.update(ours)
                continue
            objects_of = folder.parent / "CMakeFiles" / f"{folder.name.removeprefix('lib').removesuffix('.a')}.dir"
            patterns.append(re.compile(rf"{re.escape(str(objects_of))}/(.*/)?{re.escape(member)}"))
    return patterns, {name for name in names if not name.startswith("/")}


def dependencies_by_commands(by_commands, build):
    """What the compiler has written beside these objects, in the words of `ninja -t deps`. Its paths may be relative to where commands
    run, the build's folder of a folder of the sources."""
    text = ""
    for name in by_commands:
        _, paths = pathlib.Path(build, f"{name}.d").read_text().replace("\\\n", " ").split(": ", 1)
        folder = pathlib.Path(build, name.split("/")[0])
        text += f"{name}:\n" + "".join(f"    {folder / path}\n" for path in paths.split()) + "\n"
    return text


def compiled_headers(deps_text, patterns, names, source, build, sysroot):
    """Headers of others, in the sysroot or outside of sources and build, that the program's objects were compiled from; an error where
    one is unknown. (With ccache's base folder paths are relative to the build's.)"""
    headers, found, used = set(), set(), False
    for line in deps_text.splitlines():
        if line and not line.startswith(" "):
            name = line.split(":", 1)[0]
            matching = [pattern.pattern for pattern in patterns if pattern.fullmatch(name)]
            used = bool(matching) or name in names
            found.update(matching)
            if name in names:
                found.add(name)
        elif used and line.strip():
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(f"{build}/headers/"):  # links to this machine's (cmake/windows/Dependencies.cmake)
                path = os.path.realpath(path)
            own = any(path.startswith(f"{folder}/") for folder in (source, build))
            if not own or (sysroot and path.startswith(f"{sysroot}/")):
                headers.add(path)
    lost = ({pattern.pattern for pattern in patterns} | names) - found
    if lost:
        raise SystemExit(f"ninja has no dependencies of {len(lost)} objects of the program, such as {sorted(lost)[0]}")
    return headers


def database(root):
    """dpkg-query for the packages of this machine, or of a root that programs for another machine are built with."""
    return ["dpkg-query", *([f"--admindir={root}/var/lib/dpkg"] if root else [])]


def owners(paths, root):
    """Names of the packages that the files (without the root before them) belong to; an error where a file belongs to none."""
    # Debian's own lists have some files under /lib that lie under /usr/lib today.
    both = paths + [path.removeprefix("/usr") for path in paths if path.startswith("/usr/lib")]
    found, known = set(), set()
    for begin in range(0, len(both), 1000):
        said = subprocess.run([*database(root), "--search", *both[begin:begin + 1000]], capture_output=True, text=True).stdout
        for line in said.splitlines():
            names, path = line.rsplit(": ", 1)
            known.add(path)
            found.update(names.split(", "))
    foreign = [path for path in paths if path not in known and path.removeprefix("/usr") not in known]
    if foreign:
        raise SystemExit(f"expected every file in the program to be of a Debian package, got {len(foreign)} others, such as "
                         f"{root}{foreign[0]}")
    return found


def packages_with(paths, use, sysroot):
    """[Package] that the files belong to. What lies outside of the sysroot is of this machine's packages: a cross-compiler's own
    archives."""
    paths = {str(pathlib.Path(path).resolve()) for path in paths}
    inside = {path for path in paths if sysroot and path.startswith(f"{sysroot}/")}
    fields = "${Package}\\t${Architecture}\\t${Version}\\t${source:Package}\\t${source:Version}\\t${Homepage}\\n"
    packages = []
    for root, files in ((sysroot, inside), ("", paths - inside)):
        if files:
            names = owners(sorted(path.removeprefix(root) for path in files), root)
            said = subprocess.run([*database(root), "--show", "--showformat", fields, *sorted(names)], capture_output=True, text=True, check=True)
            packages += [Package(*line.split("\t"), use, root) for line in said.stdout.splitlines()]
    return packages


def packages_of(settings):
    """[Package], each once, ordered by name."""
    build, source = settings["build"], settings["source"]
    members, objects = linked_files(pathlib.Path(settings["link_map"]).read_text(errors="replace"))
    foreign = {name for name, _ in members if name.startswith("/") and not name.startswith(f"{build}/")}
    foreign |= {name for name in objects if name.startswith("/") and not name.startswith(f"{build}/")}
    by_commands = [path.removeprefix(f"{build}/") for path in settings["objects_by_commands"]]
    patterns, names = own_objects(members, objects, build, by_commands)
    deps = subprocess.run([settings["ninja"], "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    deps += dependencies_by_commands(by_commands, build)
    headers = compiled_headers(deps, patterns, names, source, build, settings["sysroot"])
    found = {}
    for use, files in zip(USES, (foreign, settings["embedded"], headers)):
        for package in packages_with(files, use, settings["sysroot"]):
            found.setdefault((package.name, package.architecture), package)
    return sorted(found.values(), key=lambda package: (package.name, package.architecture))
