"""nginx in front of a deployment, with the configuration that operators are given, docs/nginx.conf."""

import os
import socket
import ssl
import subprocess
from pathlib import Path

from tests.ground import ROOT
from tests.servers import die_with_parent, find, free_port, wait_until
from tests.stack import Stack

HOST = "judge.example.org"
# What operators are told to set in .env.
SETTINGS = {
    "ALLOWED_HOSTS": f"{HOST},127.0.0.1",
    "CSRF_TRUSTED_ORIGINS": f"https://{HOST}",
    "HTTPS": "true",
    "LIVE_URL": "/stream/",
}
MAIN = """
{user}
daemon off;
pid {folder}/pid;
error_log {folder}/error.log info;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    access_log off;
    include {folder}/faceoff.conf;
}}
"""


class Proxy:
    """nginx, started over a deployment and stopped by `stop`. Of the file only places and ports are changed.

    also: further texts to replace, so that a test need not wait for a time limit.
    """

    def __init__(self, stack: Stack, folder: Path, also: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.port, self.plain_port = free_port(), free_port()
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(
            [find("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}",
             "-out", certificate, "-keyout", key],
            check=True, capture_output=True,
        )  # fmt: skip
        text = (ROOT / "docs" / "nginx.conf").read_text()
        changes = {
            "listen [::]:80;": "",
            "listen [::]:443 ssl http2;": "",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{self.port} ssl http2;",
            "server 127.0.0.1:8000;": f"server 127.0.0.1:{stack.port};",
            "server 127.0.0.1:8001;": f"server 127.0.0.1:{stack.live_port};",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(certificate),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(key),
            "/var/cache/nginx-faceoff": f"{folder}/static",
            "/var/log/nginx/faceoff.log": f"{folder}/access.log",
        } | (also or {})
        for given, here in changes.items():
            assert given in text, f"docs/nginx.conf does not say {given}"
            text = text.replace(given, here)
        (folder / "faceoff.conf").write_text(text)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
        command = [find("nginx", ["/usr/sbin"]), "-c", str(folder / "nginx.conf"), "-p", str(folder)]
        command += ["-e", str(folder / "error.log")]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        if checked.returncode or "[warn]" in checked.stderr:
            raise RuntimeError(f"nginx -t: {checked.stderr}")
        self.process = subprocess.Popen(command, preexec_fn=die_with_parent)
        self.trust = ssl.create_default_context(cafile=str(certificate))
        wait_until(self._listens, what=f"nginx listens; see {folder}/error.log")

    def _listens(self) -> bool:
        try:
            self.connect().close()
        except OSError:
            return False
        return True

    def connect(self) -> ssl.SSLSocket:
        """A connection on which nothing is sent yet, for requests that no client library would make."""
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        return self.trust.wrap_socket(raw, server_hostname=HOST)

    def log(self) -> str:
        return (self.folder / "access.log").read_text()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
