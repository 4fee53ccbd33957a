"""windows_zip.py SETTINGS: a zip of gpuminer.exe, what it contains as SPDX document, and checksums.

The target `package` of the preset windows calls it with BUILD/packaging/settings.json. The same sources, compiler and libraries
give the same files, wherever and whenever: every time in them is SOURCE_DATE_EPOCH, by default the commit's.
"""

import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

import licences
import linked
import package
import sbom


def as_windows_text(text):
    """Lines as older editors there want them."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode()


def archive(files, folder, epoch):
    """A zip of {name: bytes} below one folder, in the order of their names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{folder}/{name}", time.gmtime(epoch)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, data)
    return packed.getvalue()


def main():
    settings = json.loads(pathlib.Path(sys.argv[1]).read_text())
    source, parts, folder = (pathlib.Path(settings[name]) for name in ("source", "parts", "packages"))
    epoch = package.source_date(source)
    program = parts / "gpuminer.exe"
    # With its dates: else strip writes the time of day into the program, where the linker has written none.
    subprocess.run([settings["strip"], "--strip-all", "--preserve-dates", "-o", program, settings["program"]], check=True)
    packages = linked.packages_of(settings)
    header = (pathlib.Path(settings["build"]) / "gpuminer_build_info.hpp").read_text()
    commit = re.search(r'kCommit\[\] = "([^"]*)"', header)[1]
    contents = sbom.document(settings, packages, program, commit, epoch)
    third_parties = licences.text(settings["version"], packages)
    name = f"gpuminer-{settings['version']}-windows-{settings['architecture']}"
    shutil.rmtree(folder, ignore_errors=True)
    package.write(folder / f"{name}.zip", archive({
        "gpuminer.exe": program.read_bytes(),
        "README.txt": as_windows_text((source / "docs" / "windows.md").read_text()),
        "LICENSE.txt": as_windows_text((source / "LICENSE").read_text()),
        "third-party-licences.txt": as_windows_text(third_parties + licences.common_licences(third_parties)),
        "gpuminer.spdx.json": contents.encode(),
    }, name, epoch))
    package.write(folder / f"{name}.spdx.json", contents)
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir()))
    package.write(folder / "SHA256SUMS", sums)
    print(f"{folder}:\n{sums}", end="")


if __name__ == "__main__":
    main()
