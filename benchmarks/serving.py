"""The dashboard as a process of its own, on a free port of this machine."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Served(NamedTuple):
    """Where it answers, and which process it is."""

    url: str
    pid: int


@contextmanager
def served() -> Iterator[Served]:
    """Starts the dashboard, waits until it answers, and ends it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(url + "/_stcore/health", timeout=1).read()
                break
            except OSError:
                time.sleep(0.1)
        yield Served(url, server.pid)
    finally:
        server.terminate()
        server.wait()
