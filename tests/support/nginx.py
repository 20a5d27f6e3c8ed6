"""A real nginx on loopback, in front of upstreams that a test chooses.

    with refusing_url() as dead, Nginx({"/invoke": f"proxy_pass {dead};"}) as proxy:
        client.post(proxy.url("/invoke"))      # a real 502

It runs in the foreground as one process, with everything that it writes in a temporary directory.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import pytest

_CONFIG = """\
daemon off;
master_process off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/error.log info;
events {{ worker_connections 512; }}
http {{
  access_log {directory}/access.log;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  default_type text/plain;
  proxy_http_version 1.1;
  {http}
  server {{
    listen 127.0.0.1:{port};
    {locations}
  }}
}}
"""
_UP_WITHIN_S = 10.0


def binary() -> str:
    """Give the path of nginx; a test that needs it is skipped where it is not installed."""
    found = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    if found is None:
        pytest.skip("nginx is no Python package; .ci/run installs it from Debian's")
    return found


class Nginx:
    """A proxy that runs for as long as the block lasts.

    Args:
        locations: for each path, what stands in its `location` block.
        http: what else stands in the `http` block, such as a `limit_req_zone`.
    """

    def __init__(self, locations: Mapping[str, str], *, http: str = "") -> None:
        self._locations = "\n    ".join(f"location {path} {{ {body} }}" for path, body in locations.items())
        self._http = http
        self._directory = Path(tempfile.mkdtemp(prefix="skillproto-nginx-"))
        self.port = 0

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return self.origin + path

    @property
    def log(self) -> str:
        """What nginx wrote about its troubles."""
        path = self._directory / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def count(self, path: str, expected: int = 0) -> int:
        """Say how many requests for a path are in its log, which it writes after each reply."""
        until = time.monotonic() + 1
        while (found := self._logged(path)) < expected and time.monotonic() < until:
            time.sleep(0.005)
        return found

    def _logged(self, path: str) -> int:
        return (self._directory / "access.log").read_text(errors="replace").count(f" {path} HTTP/")

    def __enter__(self) -> Self:
        program = binary()
        for _ in range(5):  # another process may take the port first
            self.port = _free_port()
            self._process = self._start(program)
            if self._is_up():
                return self
            self._stop()
        log = self.log
        shutil.rmtree(self._directory, ignore_errors=True)
        raise RuntimeError(f"nginx did not start:\n{log}")

    def __exit__(self, *_: object) -> None:
        self._stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _start(self, program: str) -> subprocess.Popen[bytes]:
        text = _CONFIG.format(directory=self._directory, port=self.port, http=self._http, locations=self._locations)
        path = self._directory / "nginx.conf"
        path.write_text(text)
        command = [program, "-e", str(self._directory / "error.log"), "-p", str(self._directory), "-c", str(path)]
        with (self._directory / "stderr.log").open("wb") as stderr:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr)

    def _is_up(self) -> bool:
        until = time.monotonic() + _UP_WITHIN_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return self._process.poll() is None
        return False

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
