"""Editors mark what is wrong in the files of the rig, as the page of the scenarios promises: Taplo, which is what they ask, takes every
file of the repository by the schemas that .taplo.toml names, and marks a slip in each kind of file, and only there.

usage: editors.py TAPLO
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# A word of a file, and the slip that takes its place.
SLIPS = {
    "fixtures/scenarios/not-flat.toml": ("play to spun", "play to spnu"),
    "fixtures/faults.toml": ('shows = "dice"', 'shows = "dcie"'),
    "fixtures/benches/pure.toml": ("jobs = 2", "jbos = 2"),
}
MINE = "mine.toml"


def main(taplo: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        # Elsewhere, so that nothing of this repository changes while others read it.
        there = Path(place) / "repository"
        for directory in ("fixtures", "hil-tests/docs/schema"):
            shutil.copytree(directory, there / directory)
        shutil.copy(".taplo.toml", there)
        own = Path(place) / MINE
        scenario = (there / "fixtures/scenarios/not-flat.toml").read_text()
        own.write_text(f"#:schema {there}/hil-tests/docs/schema/scenario.json\n{scenario}")
        files = [there / "fixtures/faults.toml", *(there / "fixtures").glob("scenarios/*.toml"), *(there / "fixtures").glob("benches/*.toml"), own]
        assert len(files) > 100, files
        marked = lint(taplo, there, files)
        assert not marked, f"marked, and nothing is wrong there: {marked}"
        slips = {there / file: words for file, words in SLIPS.items()} | {own: ("void not-flat: by", "viod not-flat: by")}
        planted = {(file, plant(file, *words)) for file, words in slips.items()}
        # Where a key is unknown, Taplo marks its whole table, which begins before it.
        marked = lint(taplo, there, files)
        assert {file for file, _ in marked} == set(slips), (marked, planted)
        assert all(any(at == file and line <= slip for at, line in marked) for file, slip in planted), (marked, planted)
        print(f"ok: taplo takes {len(files)} files, and marks {len(planted)} slips of {len(planted)}")


def plant(file: Path, word: str, slip: str) -> int:
    """Puts it there. Gives the line."""
    before, found, after = file.read_text().partition(word)
    assert found, f"{file} has no `{word}`"
    file.write_text(before + slip + after)
    return before.count("\n") + 1


def lint(taplo: str, at: Path, files: list[Path]) -> set[tuple[Path, int]]:
    """Files and lines that are marked."""
    ended = subprocess.run([taplo, "lint", "--colors", "never", *map(str, files)], cwd=at, capture_output=True, text=True)
    marked = {(Path(file), int(line)) for file, line in re.findall(r"┌─ (.+?):(\d+):\d+$", ended.stderr + ended.stdout, re.MULTILINE)}
    assert (ended.returncode != 0) == bool(marked), ended.stderr
    return marked


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
