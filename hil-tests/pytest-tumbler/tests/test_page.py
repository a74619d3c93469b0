"""The commands of hil-tests/docs/labgrid.md, one after the other, as its reader types them. $TUMBLER_HIL is the rig's program."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("labgrid")

PAGE = Path(__file__).parents[2] / "docs" / "labgrid.md"
# How long all of it may take, in seconds.
PATIENCE = 300
# Installed already. What runs in the background is there before the next command.
BEFORE = """
set -eu
pip() { echo "pip $*"; }
ready() { until labgrid-client "$@" 2>/dev/null | grep -q .; do sleep 0.2; done; }
"""


def test_every_command_of_the_page_works(tmp_path):
    page = PAGE.read_text()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        page = page.replace("20408", str(free.getsockname()[1]))
    for name, text in re.findall(r"`([\w.]+)`:\n\n```(?:yaml|python)\n(.*?)```", page, re.DOTALL):
        tmp_path.joinpath(name).write_text(text)
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    assert sum("&\n" in block for block in blocks) == 2
    script = BEFORE + "\n".join(blocks)
    script = script.replace("labgrid-coordinator", "labgrid-coordinator").replace(
        "labgrid-exporter benches.yaml &", "until labgrid-client places; do sleep 0.2; done\nlabgrid-exporter benches.yaml &\nready resources"
    )
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{Path(os.environ['TUMBLER_HIL']).parent}:{os.environ['PATH']}"}
    environment.pop("TMPDIR", None)
    log = tmp_path / "log"
    with log.open("w") as said:
        ran = subprocess.Popen(
            ["bash", "-c", script], cwd=tmp_path, env=environment, stdout=said, stderr=subprocess.STDOUT, process_group=0
        )
        try:
            code = ran.wait(PATIENCE)
        finally:
            os.killpg(ran.pid, signal.SIGKILL)
    said = log.read_text()
    assert code == 0, said
    benches = re.findall(r"^(bench-[12])  pure on \S+, played (\d+)$", said, re.MULTILINE)
    assert [name for name, _ in benches] == ["bench-1", "bench-2"] and all(int(played) > 0 for _, played in benches), said
    assert re.search(r"^=+ 58 passed\b.* in ", said, re.MULTILINE) and re.search(r"^=+ 1 passed in ", said, re.MULTILINE), said
    assert tmp_path.joinpath("report", "report.html").is_file() and tmp_path.joinpath("own-results", "results.json").is_file()
