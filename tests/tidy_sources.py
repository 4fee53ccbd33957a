#!/usr/bin/env python3
"""The sources that clang-tidy is to check: OUT/compile_commands.json, their names, one a line, in OUT/files, and the
number of our sources among them in OUT/count.

usage: tidy_sources.py BUILD OUT [--all]

Checked is what changed since the branch left origin/main (there: what is not committed, or else the last 20 commits), and of
what includes a changed header enough to see each of these once, as the unity build BUILD compiles it: whole batches, which
takes a fifth of the time. With --all every source is checked, by itself. Left out are generated files, the
programs under tests/ (Catch2's macros are all that clang-tidy would talk about), without --all also batches that hold one of
those, and the files of one instruction set each, which are instantiations of headers and thousands of printed lines.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

from check_includes import INCLUDE, SOURCES

GCC_ALONE = " -fno-gnu-unique"  # an option that clang does not know
NOT_CHECKED = re.compile(r"^(build|cmake|tests)/|/(messages|scan|sha256d64)_[^/]*$|\.cu$")


def sources_in(entry):
    """What a command compiles: its file, or where that is a batch of a unity build, those that it includes."""
    if "/Unity/unity_" in entry["file"]:
        return INCLUDE.findall(pathlib.Path(entry["file"]).read_text())
    return [entry["file"]]


def command_for(source, entry):
    arguments = [source if word == entry["file"] else word for word in shlex.split(entry["command"])]
    return {"directory": entry["directory"], "command": shlex.join(arguments), "file": source}


def git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


def changed_files():
    try:
        base = git("merge-base", "HEAD", "origin/main")[0]
    except (subprocess.CalledProcessError, IndexError):
        base = None
    untracked = git("ls-files", "--others", "--exclude-standard")
    if base and base != git("rev-parse", "HEAD")[0]:
        return {*git("diff", "--name-only", base), *untracked}
    uncommitted = {*git("diff", "--name-only", "HEAD"), *untracked}
    return uncommitted or {*git("log", "-20", "--no-merges", "--name-only", "--format=")}


def includers():
    """Of each path that is named in an #include, relative to the root or to the file: the files that name it."""
    result = {}
    for path in git("ls-files", "--cached", "--others", "--exclude-standard"):
        file = pathlib.Path(path)
        if file.suffix not in SOURCES | {".inc"} or not file.is_file():
            continue
        for name in INCLUDE.findall(file.read_text()):
            for included in (name, str(file.parent / name)):
                result.setdefault(included, set()).add(path)
    return result


def sources_with(path, includers_of):
    """This file, and all that include it, directly or not."""
    found, new = set(), {path}
    while new:
        found |= new
        new = {includer for file in new for includer in includers_of.get(file, ())} - found
    return {str(pathlib.Path.cwd() / file) for file in found}


def is_checked(source):
    root = pathlib.Path.cwd()
    path = pathlib.Path(source)
    return path.is_relative_to(root) and not NOT_CHECKED.search(str(path.relative_to(root)))


def chosen_units(units, rules=None):
    """Of (entry, sources) those with a source that changed, and for each changed header one that sees it, the smallest; all of
    them where the file `rules` changed."""
    try:
        changed = changed_files()
        if rules in changed:
            return units
        includers_of = includers()
    except (OSError, subprocess.CalledProcessError):
        return units  # not in git's hands
    chosen = []
    for path in sorted(changed, key=lambda path: (pathlib.Path(path).suffix != ".cpp", path)):  # sources first
        seen_in = sources_with(path, includers_of)
        able = [unit for unit in units if seen_in.intersection(unit[1])]
        if able and not any(unit in able for unit in chosen):
            chosen.append(min(able, key=lambda unit: len(unit[1])))
    return chosen


def main(build, out, everything):
    database = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    for entry in database:
        entry["command"] = entry["command"].replace(GCC_ALONE, "")
    units = [(entry, sources_in(entry)) for entry in database]
    sources = {source for _, part in units for source in part if is_checked(source)}
    if everything:
        units = [(command_for(source, entry), [source]) for entry, part in units for source in sources.intersection(part)]
    else:
        units = chosen_units([(entry, part) for entry, part in units if sources.issuperset(part)], ".clang-tidy")
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "compile_commands.json").write_text(json.dumps([entry for entry, _ in units]))
    (out / "files").write_text("".join(f"{file}\n" for file in sorted({entry["file"] for entry, _ in units})))
    checked = {source for _, part in units for source in part}
    (out / "count").write_text(f"{len(checked)} of {len(sources)}\n")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--all"]):
        raise SystemExit("usage: tidy_sources.py BUILD OUT [--all]")
    main(sys.argv[1], sys.argv[2], sys.argv[3:] == ["--all"])
