"""Certificates made by the openssl command, for servers on this machine."""

import pathlib
import shutil
import ssl
import subprocess
import unittest

SETTINGS = """[ca]
default_ca = here
[here]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = req
"""


class Authority:
    """Signs in `folder`; its own certificate is `self.file`."""

    def __init__(self, folder):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("the openssl command is not in PATH")
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        (self.folder / "index").touch()
        (self.folder / "serial").write_text("01\n")
        (self.folder / "settings").write_text(SETTINGS.format(folder=self.folder))
        self.file = self.folder / "authority.pem"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=test authority",
                     "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", self.folder / "authority.key", "-out", self.file)

    def openssl(self, *arguments):
        command = ["openssl", arguments[0], "-config", self.folder / "settings", *arguments[1:]]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    def server(self, name, alternative, start="", end=""):
        """A context of a server with a certificate for `alternative`, as "DNS:localhost"; its fingerprint."""
        key, request, file, extensions = (self.folder / f"{name}.{kind}" for kind in ("key", "csr", "pem", "ext"))
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        extensions.write_text(f"subjectAltName={alternative}\n")
        dates = ["-startdate", start, "-enddate", end] if end else ["-days", "10"]
        self.openssl("ca", "-batch", "-notext", "-cert", self.file, "-keyfile", self.folder / "authority.key", "-in", request, "-out", file,
                     "-extfile", extensions, *dates)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file, key)
        shown = subprocess.run(["openssl", "x509", "-in", file, "-noout", "-fingerprint", "-sha256"], check=True, capture_output=True, text=True)
        return context, shown.stdout.split("=")[1].strip()
