"""The recipes for CI are lawful, and what they run does what they say: every play is one of the rig's, and a run leaves the files
that the recipe hands over.

usage: recipes.py RIG DIRECTORY
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from junitparser import JUnitXml
from ruamel.yaml import YAML

PLANTED = """
about = "A sign that is lit is said to be dark"
steps = ["expect sign off because silent: planted", "open table"]
[endings]
nz-div9 = []
"""


def main(rig: str, directory: str) -> None:
    recipes = Path(directory)
    lawful("vendor.gitlab-ci", recipes / "gitlab-ci.yml")
    lawful("vendor.github-workflows", recipes / "github-workflow.yml")
    plays = [recipe(rig, name, *read(recipes)) for name, read in RECIPES.items()]
    assert all(some == plays[0] for some in plays), f"the recipes play different things: {plays}"
    for play in plays[0]:
        # Whatever is wrong with its options is found before the name that does not exist.
        ended = subprocess.run([rig, *play.split(), "no-such-cell"], capture_output=True, text=True)
        assert ended.returncode == 2 and re.search("unknown (scenario|cell)", ended.stderr), f"{play}: {ended.stderr}"
    print(f"ok: {len(plays)} recipes with {len(plays[0])} plays each")


def lawful(schema: str, path: Path) -> None:
    subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)], check=True)


def gitlab(recipes: Path) -> tuple:
    file = YAML(typ="safe").load(recipes / "gitlab-ci.yml")
    play, report = file["play"], file["report"]
    handed = [play["artifacts"]["reports"]["junit"], *play["artifacts"]["paths"], *report["artifacts"]["paths"]]
    scripts = ["\n".join(job["script"]) for job in (play, report)]
    return play["parallel"]["matrix"][0]["PLAY"], scripts, "CI_NODE_INDEX", handed


def github(recipes: Path) -> tuple:
    jobs = YAML(typ="safe").load(recipes / "github-workflow.yml")["jobs"]
    steps = [step for job in ("play", "report") for step in jobs[job]["steps"]]
    scripts = [step["run"] for step in steps if step.get("name") in ("Play", "Report")]
    handed = [step["with"]["path"] for step in steps if step.get("uses", "").startswith("actions/upload-artifact")]
    return jobs["play"]["strategy"]["matrix"]["play"], scripts, "JOB", handed


def jenkins(recipes: Path) -> tuple:
    text = (recipes / "Jenkinsfile").read_text()
    plays = re.findall(r"^ +'(.*)',$", text.split("def plays = [")[1].split("]")[0], re.MULTILINE)
    handed = re.findall(r"(?:testResults|artifacts): '(.*?)'", text)
    return plays, re.findall(r"sh '''(.*?)'''", text, re.DOTALL), "NUMBER", [each for some in handed for each in some.split(",")]


RECIPES = {"gitlab": gitlab, "github": github, "jenkins": jenkins}


def recipe(rig: str, name: str, plays: list, scripts: list, number: str, handed: list) -> list:
    """Runs both scripts with a cell that fails. Gives the plays."""
    assert len(scripts) == 2 and plays and handed, f"{name}: {scripts} {plays} {handed}"
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        (work / "target" / "release").mkdir(parents=True)
        (work / "target" / "release" / "tumbler-hil").symlink_to(Path(rig).resolve())
        (work / "planted.toml").write_text(PLANTED)
        env = os.environ | {"PLAY": "run planted.toml --bench pure", number: "3"}
        for script in scripts:
            ended = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=work, env=env, capture_output=True, text=True)
            assert ended.returncode == 1, f"{name}: {script} ended with {ended.returncode}: {ended.stderr}"
        for pattern in handed:
            found = [path for path in work.glob(pattern.rstrip("/")) if path.is_dir() or path.stat().st_size > 0]
            assert found, f"{name} hands over {pattern}, and there is none"
        junit = work / "results" / "3" / "junit.xml"
        attached = re.findall(r"\[\[ATTACHMENT\|(.*?)\]\]", junit.read_text())
        assert sum(suite.failures for suite in JUnitXml.fromfile(str(junit))) == len(attached) / 2 > 0, attached
        for file in map(Path, attached):
            # GitLab looks for them from the project's directory, Jenkins by their absolute paths.
            assert file.is_absolute() == (name == "jenkins") and (work / file).is_file(), f"{name}: {file}"
    print(f"ok: {name} hands over {', '.join(handed)}")
    return plays


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
