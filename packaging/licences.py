"""The licences of what the portable program contains, in the words of the distribution's copyright files."""

import pathlib
import re

COMMON = pathlib.Path("/usr/share/common-licenses")
LARGE = 200_000  # Boost's file of 2 MB lists the holders of the rights in each of its files

# Source packages and what they are under, as the copyright files say it of the parts that are used, in SPDX's words.
EXPRESSIONS = {
    r"boost[0-9.]*": "BSL-1.0",
    r"cli11": "BSD-3-Clause",
    r"fmtlib": "MIT",
    r"cross-toolchain-base.*": "LGPL-2.1-or-later",  # glibc for other processors
    r"gcc-[0-9]+.*": "GPL-3.0-or-later WITH GCC-exception-3.1",
    r"glibc": "LGPL-2.1-or-later",
    r"gcc-mingw-w64": "GPL-3.0-or-later WITH GCC-exception-3.1",
    r"hwloc": "BSD-3-Clause",
    r"libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    r"libpsl": "MIT",
    r"libsodium": "ISC",
    r"libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    r"libzstd": "BSD-3-Clause OR GPL-2.0-only",
    r"linux": "GPL-2.0-only WITH Linux-syscall-note",
    r"llvm-toolchain-[0-9]+": "Apache-2.0 WITH LLVM-exception",
    r"node-d3-array": "ISC",
    r"(node-)?d3-(axis|collection|color|format|interpolate|scale|selection|time|time-format)": "BSD-3-Clause",
    r"mingw-w64": "ZPL-2.1 AND MIT AND BSD-3-Clause",  # with what is in the public domain
    r"nlohmann-json3": "MIT",
    r"khronos-opencl-headers": "Apache-2.0",
    r"openssl": "Apache-2.0",
    r"qr-code-generator": "MIT",
    r"spdlog": "MIT",
    r"tomlplusplus": "MIT",
    r"vulkan-loader|vulkan-headers|vulkan": "Apache-2.0",
    r"zlib": "Zlib",
}
USES = {"linked": "linked statically", "compiled": "compiled in (headers)", "embedded": "embedded"}
PUBLIC_SUFFIX_LIST = pathlib.Path("/usr/share/doc/publicsuffix/copyright")

HEAD = """gpuminer {version} contains parts of other programs. This is which, from which packages of the distribution that
it was built on, and under which licences, in the words of those packages' copyright files. All of their source is that
distribution's; gpuminer's own is complete, so that it can be linked anew with another version of any of them
(cmake --preset portable).

"""


def expression(package):
    """Its licence in SPDX's words; NOASSERTION: nobody has looked."""
    source = "linux" if package.name.startswith("linux-libc-dev") else package.source  # another one's, for other processors
    for pattern, licence in EXPRESSIONS.items():
        if re.fullmatch(pattern, source):
            return licence
    return "NOASSERTION"


def copyright_text(package):
    """What Debian says of the package; of a very long text what it says of the whole, and the licences."""
    path = pathlib.Path(f"{package.root}/usr/share/doc/{package.name}/copyright")
    if not path.is_file():
        raise SystemExit(f"expected the licence of {package.name} in {path}, found no such file")
    text = path.read_text(errors="replace").replace("\r", "")
    if len(text) < LARGE:
        return text
    paragraphs = text.split("\n\n")
    kept = [part for part in paragraphs if part.startswith(("License:", "Files: *\n"))]
    if len(kept) < 2:
        return text
    return "\n\n".join(kept) + f"\n\n(The list of each file's copyright holders is in the package {package.name}.)\n"


def table(packages):
    width = max(len(package.name) for package in packages)
    return "".join(f"{package.name:{width}}  {package.version:24}  {USES[package.use]}; {expression(package)}\n"
                   for package in packages)


def text(version, packages):
    """All of it: the list, then each text once, below the names of the packages that it is of."""
    texts = {}
    for package in packages:
        texts.setdefault(copyright_text(package).strip(), []).append(package.name)
    parts = [HEAD.format(version=version), table(packages)]
    for body, names in texts.items():
        parts.append(f"\n==== {', '.join(names)} ====\n\n{body}\n")
    if any(package.source == "libpsl" for package in packages):
        if not PUBLIC_SUFFIX_LIST.is_file():
            raise SystemExit(f"expected the licence of the Public Suffix List, which libpsl contains, in {PUBLIC_SUFFIX_LIST}, found no such file; "
                             "install the package publicsuffix")
        parts.append(f"\n==== the Public Suffix List, which libpsl contains ====\n\n{PUBLIC_SUFFIX_LIST.read_text().strip()}\n")
    return "".join(parts)


def common_licences(text_of_all):
    """The texts in /usr/share/common-licenses that copyright files refer to, for systems without that folder."""
    names = sorted({name.rstrip(".") for name in re.findall(rf"{COMMON}/([A-Za-z0-9.+-]+)", text_of_all)})
    return "".join(f"\n==== {COMMON}/{name} ====\n\n{(COMMON / name).read_text().strip()}\n"
                   for name in names if (COMMON / name).is_file())
