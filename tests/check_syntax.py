#!/usr/bin/env python3
"""Compilation of each source by itself, to find missing includes; a unity build does not show these.

usage: check_syntax.py BUILD [--all]

Checked is what changed lately, and for each changed header one source that includes it (tidy_sources.py says what counts as
changed), or with --all every source, each with the flags that it has in BUILD. Of that tree no more than the target
generated_headers has to be built.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

from tidy_sources import chosen_units, command_for, sources_in


def units_of(build):
    """(command, [source]) of each source of ours, once."""
    root = pathlib.Path.cwd()
    units = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        for source in sources_in(entry):
            path = pathlib.Path(source)
            if path.is_relative_to(root) and not path.is_relative_to(root / "build"):
                units.setdefault(source, (command_for(source, entry), [source]))
    return [units[source] for source in sorted(units)]


def complaints(entry):
    """The compiler's first error in this command's source, or nothing where it takes it."""
    process = subprocess.run([*shlex.split(entry["command"]), "-fsyntax-only", "-fmax-errors=1"], cwd=entry["directory"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{entry['file']}: does not compile by itself:\n{process.stdout}" if process.returncode else ""


def main(build, everything):
    units = units_of(build)
    chosen = units if everything else chosen_units(units)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [text for text in pool.map(complaints, [entry for entry, _ in chosen]) if text]
    sys.stdout.writelines(found)
    print(f"syntax: complaints about {len(found)} of {len(chosen)} sources, each by itself" if found else
          f"syntax: no complaints in {len(chosen)} of {len(units)} sources, each by itself")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--all"]):
        raise SystemExit("usage: check_syntax.py BUILD [--all]")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:] == ["--all"]))
