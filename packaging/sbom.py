"""The list of what the portable program contains, as a document of SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/)."""

import datetime
import hashlib
import json
import pathlib
import re
import subprocess

import licences

RELATIONSHIPS = {"linked": "STATIC_LINK", "compiled": "CONTAINS", "embedded": "CONTAINS"}


def identifier(*words):
    """An SPDXID: letters, digits, dots and hyphens."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def distribution():
    """("debian", "12") of this machine."""
    fields = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return fields.get("ID", "linux").strip('"'), fields.get("VERSION_ID", "").strip('"')


def purl(package):
    """https://github.com/package-url/purl-spec of a Debian package, or of sources by their authors alone (get_libraries.sh)."""
    if package.architecture == "source" and "-" not in package.version:
        return f"pkg:generic/{package.name}@{package.version}"
    name, version = distribution()
    quoted = package.version.replace("+", "%2B").replace(":", "%3A")
    return f"pkg:deb/{name}/{package.name}@{quoted}?arch={package.architecture}&distro={name}-{version}"


def tool_versions(tools):
    """{name: version} of the compilers that the program was made with."""
    found = {}
    for name, path in tools.items():
        if path and "NOTFOUND" not in path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            match = re.search(r"\b(V?\d+\.\d+[^\s,()]*)", said.splitlines()[-1] if name == "nvcc" and said else said)
            found[pathlib.PurePath(path).name] = match[1] if match else ""
    return found


def element(name, version, **more):
    return {"SPDXID": identifier("Package", name), "name": name, **({"versionInfo": version} if version else {}),
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def document(settings, packages, program, commit, epoch):
    """`program`: the path of the file that is installed. Text of the same for the same input."""
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    where = "gpuminer.exe" if pathlib.PurePath(program).suffix == ".exe" else "/usr/bin/gpuminer"
    main = element("gpuminer", settings["version"], licenseDeclared="MIT", primaryPackagePurpose="APPLICATION",
                   supplier="Organization: gpuminer developers", copyrightText="Copyright (c) 2026 gpuminer developers",
                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
                   comment=f"{where} for {settings['architecture']}, of commit {commit}; the checksum is that file's")
    elements, relations = [main], [("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"])]
    for package in packages:
        part = element(package.name, package.version, licenseDeclared=licences.expression(package),
                       supplier="Organization: Debian" if distribution()[0] == "debian" else "NOASSERTION",
                       sourceInfo=f"source package {package.source} {package.source_version}; {licences.USES[package.use]}",
                       externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                      "referenceLocator": purl(package)}])
        if package.homepage:
            part["homepage"] = package.homepage
        elements.append(part)
        relations.append((main["SPDXID"], RELATIONSHIPS[package.use], part["SPDXID"]))
    if any(package.source == "libpsl" for package in packages):
        part = element("public-suffix-list", "", licenseDeclared="MPL-2.0", homepage="https://publicsuffix.org/",
                       sourceInfo="data that libpsl contains")
        elements.append(part)
        relations.append((main["SPDXID"], "CONTAINS", part["SPDXID"]))
    for name, version in sorted(tool_versions(settings["tools"]).items()):
        part = element(f"tool-{name}", version)
        elements.append(part)
        relations.append((part["SPDXID"], "BUILD_TOOL_OF", main["SPDXID"]))
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"gpuminer-{settings['version']}-{settings['architecture']}",
        "documentNamespace": f"https://spdx.org/spdxdocs/gpuminer-{settings['version']}-{digest}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: gpuminer developers", "Tool: packaging/sbom.py"]},
        "packages": elements,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }, indent=1) + "\n"
