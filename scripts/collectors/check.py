"""What the rig writes for other programs is read by them: JUnit by junitparser and by a schema, Allure's results by Allure.

usage: check.py RIG ALLURE SCHEMA
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import xmlschema
from junitparser import Error, Failure, JUnitXml, Properties, Skipped

PLANTED = """
about = "A sign that is lit is said to be dark"
steps = ["expect sign off because silent: planted", "open table", "play to settled"]
[at_end]
phase = "ready"
[endings]
"*" = ["settled: NZ 6.3"]
"""
# What each collector calls a verdict.
JUNIT = {"PASS": "passed", "FAIL": "failure", "INVALID": "error", "NOT_EXECUTED": "skipped"}
ALLURE = {"PASS": "passed", "FAIL": "failed", "INVALID": "broken", "NOT_EXECUTED": "skipped"}


def main(rig: str, allure: str, schema: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        merged = runs(rig, work)
        with open(merged / "cells.csv", newline="") as file:
            cells = {(row["bench"], row["cell"]): row["verdict"] for row in csv.DictReader(file)}
        print(f"{len(cells)} cells: {dict(Counter(cells.values()))}")
        assert set(cells.values()) == set(JUNIT), cells
        junit(merged, cells, schema)
        rendered(allure, work, merged, cells)


def runs(rig: str, work: Path) -> Path:
    """A run that passes and one that fails, merged; one of the cells was the rig's fault, and one is on a bench's list."""
    planted = work / "planted.toml"
    planted.write_text(PLANTED)
    play(rig, 0, "run", "not-flat", "--each-once", "--bench", "pure", "--out", work / "good")
    play(rig, 1, "run", planted, "--bench", "pure", "--keep-going", "--out", work / "bad")
    results = json.loads((work / "bad" / "results.json").read_text())
    cells = results["runs"][0]["cells"]
    cells[0].update(verdict="INVALID", reasons=["the rig was late"])
    cells[1].update(verdict="NOT_EXECUTED", reasons=["cannot"], listed=True)
    (work / "bad" / "results.json").write_text(json.dumps(results))
    merged = work / "merged"
    play(rig, 1, "report", work / "good", work / "bad", "--out", merged, "--requirements", "https://clauses.example/{}")
    return merged


def play(rig: str, code: int, *arguments: object) -> None:
    ended = subprocess.run([rig, *map(str, arguments)], stdout=subprocess.DEVNULL)
    assert ended.returncode == code, f"{arguments} ended with {ended.returncode}, not {code}"


def junit(merged: Path, cells: dict, schema: str) -> None:
    path = merged / "junit.xml"
    xmlschema.validate(str(path), schema)
    kinds = {Failure: "failure", Error: "error", Skipped: "skipped"}
    found, suites = {}, list(JUnitXml.fromfile(str(path)))
    for suite in suites:
        assert suite.timestamp and suite.hostname, "a suite has its time and host"
        assert {"rig", "rig-sha256", "seed"} <= {p.name for p in suite.properties()}
        for case in suite:
            properties = [(p.name, p.value) for p in case.child(Properties)]
            names = dict(properties)
            assert names["test_key"] == case.name and names["build"], properties
            assert any(name == "requirement" for name, _ in properties), f"{case.name} proves no clause"
            found[names["bench"], case.name] = next((kinds[type(r)] for r in case.result), "passed")
            files = [line[13:-2] for line in (case.system_out or "").splitlines() if line.startswith("[[ATTACHMENT|")]
            assert all((merged / file).stat().st_size > 0 for file in files), files
            endings = {Path(file).suffix for file in files}
            if found[names["bench"], case.name] in ("failure", "error"):
                assert {".vcd", ".html"} <= endings, f"{case.name} has {files}"
    assert found == {cell: JUNIT[verdict] for cell, verdict in cells.items()}, found
    print(f"ok: junitparser {len(suites)} suites with {len(found)} cells, valid by the schema")


def rendered(allure: str, work: Path, merged: Path, cells: dict) -> None:
    history, report = work / "history.jsonl", work / "report"
    config = work / "allurerc.json"
    config.write_text(json.dumps({"name": "check", "output": str(report), "historyPath": str(history)}))
    for _ in range(2):
        arguments = [allure, "generate", str(merged / "allure-results"), "--config", str(config), "--cwd", str(work)]
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    stats = json.loads((report / "summary.json").read_text())["stats"]
    expected = Counter(ALLURE[verdict] for verdict in cells.values())
    assert {key: stats.get(key) for key in expected} == dict(expected), (stats, expected)
    assert stats["total"] == len(cells), stats
    results = [json.loads(path.read_text()) for path in (report / "data" / "test-results").glob("*.json")]
    failed = next(result for result in results if result["status"] == "failed")
    kinds = {attachment["link"]["ext"] for attachment in failed["attachments"]}
    assert {".vcd", ".html"} <= kinds, failed["attachments"]
    assert failed["links"][0]["url"].startswith("https://clauses.example/"), failed["links"]
    told = [json.loads(line)["testResults"] for line in history.read_text().splitlines()]
    assert len(told) == 2 and set(told[0]) == set(told[1]), "a cell has the same identity in each run"
    print(f"ok: allure {dict(expected)}, and the same cells in both of its histories")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
