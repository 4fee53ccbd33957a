"""package.py SETTINGS: a .deb and a tarball of the portable gpuminer, what they contain as SPDX document, the image of a stick to
boot, and checksums.

The target `package` calls it with BUILD/packaging/settings.json, which cmake/Packages.cmake writes. The same sources, compiler
and libraries give the same files, wherever and whenever: every time in them is SOURCE_DATE_EPOCH, by default the commit's.
"""

import email.utils
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import licences
import linked
import sbom
import stick


def source_date(source):
    """Seconds since 1970: SOURCE_DATE_EPOCH, or the commit's time by the source archive or git, or the changelog's."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        if not given.isdigit():
            raise SystemExit(f"SOURCE_DATE_EPOCH: expected a number of seconds, got {given!r}")
        return int(given)
    if archived := re.search(r"^time (\d+)$", (source / "cmake" / "commit.txt").read_text(), re.MULTILINE):
        return int(archived[1])
    if (source / ".git").exists() and shutil.which("git"):
        said = subprocess.run(["git", "-C", source, "log", "-1", "--format=%ct"], capture_output=True, text=True)
        if said.returncode == 0:
            return int(said.stdout)
    return int((source / "CHANGELOG.md").stat().st_mtime)


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    path.chmod(0o644)


def compressed(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def debian_changelog(settings, epoch):
    return (f"gpuminer ({settings['version']}-1) stable; urgency=medium\n\n"
            f"  * What has changed is in changelog.gz.\n\n"
            f" -- {settings['maintainer']}  {email.utils.formatdate(epoch)}\n")


def changes(source, version):
    """The changelog's section about the version."""
    sections = re.split(r"^## ", (source / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    for section in sections[1:]:
        if section.split()[0] == version:
            return f"## {section.strip()}\n"
    raise SystemExit(f"CHANGELOG.md: expected a section about {version}, found none")


def make_library(settings):
    """libgpuminer as programs are linked with it and as they find it, without what neither needs."""
    folder = pathlib.Path(settings["parts"]) / "lib"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for library in ("shared_library", "static_library"):
        made = folder / pathlib.Path(settings[library]).name
        subprocess.run([settings["strip"], "--strip-unneeded", "--remove-section=.comment", "-o", made, settings[library]], check=True)
        made.chmod(0o644)
    soversion = settings["version"].rpartition(".")[0]
    for link in ("libgpuminer.so", f"libgpuminer.so.{soversion}"):
        (folder / link).symlink_to(f"libgpuminer.so.{settings['version']}")


def make_parts(settings, epoch):
    """What the packages have beside the files that CMake knows, below settings["parts"]."""
    source, parts = pathlib.Path(settings["source"]), pathlib.Path(settings["parts"])
    program = parts / "gpuminer"
    subprocess.run([settings["strip"], "--strip-all", "--remove-section=.comment", "-o", program, settings["program"]], check=True)
    make_library(settings)
    packages = linked.packages_of(settings)
    commit = re.search(r'kCommit\[\] = "([^"]*)"', (pathlib.Path(settings["build"]) / "gpuminer_build_info.hpp").read_text())[1]
    write(parts / "gpuminer.spdx.json", sbom.document(settings, packages, program, commit, epoch))
    third_parties = licences.text(settings["version"], packages)
    write(parts / "tarball" / "third-party-licences.txt", third_parties + licences.common_licences(third_parties))
    write(parts / "debian" / "copyright", f"{(source / 'LICENSE').read_text()}\n{'-' * 80}\n\n{third_parties}")
    shutil.rmtree(parts / "man", ignore_errors=True)
    for page in pathlib.Path(settings["cli_documents"]).glob("*.1"):
        write(parts / "man" / f"{page.name}.gz", compressed(page.read_text()))
    write(parts / "debian" / "changelog.gz", compressed((source / "CHANGELOG.md").read_text()))
    write(parts / "debian" / "changelog.Debian.gz", compressed(debian_changelog(settings, epoch)))


def dependencies(settings):
    """What the .deb depends on: a libc that has the newest versions of functions that the program and the library take.
    (dpkg-shlibdeps says the same, but only of programs for this machine.)"""
    parts = pathlib.Path(settings["parts"])
    said = subprocess.run([settings["readelf"], "--wide", "--dynamic", "--version-info", parts / "gpuminer",
                           parts / "lib" / f"libgpuminer.so.{settings['version']}"], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    foreign = [name for name in needed if not re.match(r"(lib(c|m|dl|pthread|rt)|ld-linux[a-z0-9-]*)\.so\.", name)]
    if foreign or not needed:
        raise SystemExit(f"expected a program and a library that take libc's own libraries alone, got: {', '.join(needed)}")
    newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"Name: GLIBC_([0-9.]+)", said))
    return f"libc6 (>= {'.'.join(map(str, newest))})"


def run_cpack(settings, generator, epoch):
    parts = pathlib.Path(settings["parts"])
    log = parts / f"cpack-{generator}.log"
    with open(log, "wb") as output:
        process = subprocess.run([settings["cpack"], "--config", parts / "CPackConfig.cmake", "-G", generator,
                                  "-D", f"CPACK_DEBIAN_PACKAGE_DEPENDS={dependencies(settings)}"],
                                 env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}, stdout=output, stderr=subprocess.STDOUT)
    if process.returncode != 0:
        raise SystemExit(f"cpack -G {generator} failed:\n{log.read_text(errors='replace')[-2000:]}")


def order_tarball(path, epoch):
    """Sorts what CPack has packed as the file system listed it."""
    with tarfile.open(path) as archive:
        entries = [(member, archive.extractfile(member).read() if member.isfile() else b"") for member in archive.getmembers()]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member, data in sorted(entries, key=lambda entry: entry[0].name):
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = epoch
            archive.addfile(member, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def main():
    settings = json.loads(pathlib.Path(sys.argv[1]).read_text())
    os.umask(0o022)
    folder = pathlib.Path(settings["packages"])
    shutil.rmtree(folder, ignore_errors=True)
    source = pathlib.Path(settings["source"])
    epoch = source_date(source)
    make_parts(settings, epoch)
    write(pathlib.Path(settings["parts"]) / "source_date", f"{epoch}\n")
    name = f"gpuminer-{settings['version']}-linux-{settings['architecture']}-portable"
    for generator in ("DEB", "TGZ"):
        run_cpack(settings, generator, epoch)
    shutil.rmtree(folder / "_CPack_Packages")
    order_tarball(folder / f"{name}.tar.gz", epoch)
    if reason := stick.missing(settings["stick"]):
        print(f"No image of a stick to boot is made: {reason}")
    else:
        stick.make(settings["stick"], folder / f"gpuminer-{settings['version']}-uefi.img", epoch)
    shutil.copy(pathlib.Path(settings["parts"]) / "gpuminer.spdx.json", folder / f"{name}.spdx.json")
    write(folder / f"gpuminer-{settings['version']}-changes.md", changes(source, settings["version"]))
    made = sorted(path for path in folder.iterdir() if path.is_file())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made)
    write(folder / "SHA256SUMS", sums)
    print(f"{folder}, for {dependencies(settings)}:\n{sums}", end="")


if __name__ == "__main__":
    main()
