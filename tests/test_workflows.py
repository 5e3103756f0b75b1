"""The workflows call what is there, may do no more than they need, and stay bounded."""

import re
import subprocess
import tomllib
from pathlib import Path

import yaml

from bookkit.checking.facts import facts

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".github/workflows"
WORKFLOWS = {path.stem: path for path in sorted(FOLDER.iterdir())}
PINNED = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


class Loader(yaml.SafeLoader):
    """Read YAML as GitHub does: `on` is a word, not a truth value."""


Loader.yaml_implicit_resolvers = {
    letter: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:bool"]
    for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(name):
    return yaml.load(WORKFLOWS[name].read_text("utf-8"), Loader)


def jobs(name):
    """List the jobs of a workflow that have steps of their own."""
    return {k: job for k, job in load(name)["jobs"].items() if "uses" not in job}


def steps(name):
    return [step for job in jobs(name).values() for step in job["steps"]]


def commands(name):
    return [step["run"] for step in steps(name) if "run" in step]


each_workflow = facts("name", WORKFLOWS)


@each_workflow
def test_a_step_is_one_command_that_works_by_hand(name):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in commands(name):
        program, *rest = command.split()
        if program == "make":
            [target] = rest
            assert re.search(rf"^{re.escape(target)}: ", makefile, re.MULTILINE), target
        else:
            assert (ROOT / program).stat().st_mode & 0o100, program


def test_what_must_hold_is_checked_before_a_change_lands():
    run = (ROOT / ".ci/run").read_text("utf-8")
    words = " ".join(re.findall(r"^make (.*)$", run, re.MULTILINE)).split()
    assert set(words) == {"lint", "site-test", "test", "tool-test"}
    assert commands("check") == [".ci/run", "make package-test"]


def test_everything_runs_at_night_and_says_when_it_fails():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    everything = re.search(r"^everything:.*\n\t(.*)$", makefile, re.MULTILINE)[1]
    rest = {"lint", "test", "tool-test", "site-test", "print-test", "fuzz", "NIGHTLY=1"}
    assert rest <= set(everything.split())
    nightly = load("nightly")
    *_, day_of_month, month, day_of_week = nightly["on"]["schedule"][0]["cron"].split()
    assert (day_of_month, month, day_of_week) == ("*", "*", "*")
    assert "make everything" in commands("nightly")
    assert commands("nightly")[-3:-1] == ["make dist", "make dist-test"]
    assert jobs("nightly")["package"]["env"] == {"NIGHTLY": "1"}
    assert {*nightly["jobs"]["report"]["needs"], "report"} == set(nightly["jobs"])


def test_only_what_publishes_or_reports_may_write():
    writing = {
        (name, job, what)
        for name in WORKFLOWS
        for job, settings in load(name)["jobs"].items()
        for what, grant in settings["permissions"].items()
        if grant != "read"
    }
    assert writing == {
        ("freshness", "report", "issues"),
        ("nightly", "report", "issues"),
        ("publish", "deploy", "pages"),
        ("publish", "deploy", "id-token"),
        ("release", "publish", "attestations"),
        ("release", "publish", "id-token"),
    }


@each_workflow
def test_a_job_ends_in_time_and_a_workflow_waits_for_its_turn(name):
    assert load(name)["concurrency"]["group"]
    for job in jobs(name).values():
        assert 0 < int(job["timeout-minutes"]) <= 180


def test_tests_get_no_secrets():
    for name in WORKFLOWS:
        for job in jobs(name).values():
            is_test = any("make" in step.get("run", "") for step in job["steps"])
            assert not (is_test and re.search(r"secrets\.|github\.token", str(job)))


def test_every_supported_python_runs_all_tests():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    start = "Programming Language :: Python :: 3."
    supported = [c.removeprefix(start) for c in project["classifiers"] if start in c]
    tested = jobs("nightly")["test"]["strategy"]["matrix"]["python"]
    assert set(tested) >= {f"3.{minor}" for minor in supported}
    assert project["requires-python"] == f">={tested[0]}"


def test_a_book_is_published_when_everything_has_passed():
    publish = load("publish")["jobs"]
    assert publish["check"]["uses"] == "./.github/workflows/check.yml"
    assert "workflow_call" in load("check")["on"]
    assert publish["build"]["needs"] == "check"
    assert publish["deploy"]["needs"] == "build"
    assert load("publish")["on"] == {"push": {"branches": ["main"]}}


def test_a_release_is_what_a_tag_names_and_the_tests_have_tried():
    release = load("release")
    assert set(release["on"]) == {"push", "workflow_dispatch"}
    assert release["on"]["push"] == {"tags": ["v*"]}
    build, test, publish = (release["jobs"][n] for n in ("build", "test", "publish"))
    assert release["jobs"]["check"]["uses"] == "./.github/workflows/check.yml"
    assert (test["needs"], publish["needs"]) == ("build", ["check", "test"])
    assert publish["if"] == "${{ github.ref_type == 'tag' }}"
    assert build["env"] == {
        "TAG": "${{ github.ref_type == 'tag' && github.ref_name || '' }}"
    }
    assert commands("release") == ["make dist", "make dist-test", "make upload"]
    oldest, *_, newest = jobs("nightly")["test"]["strategy"]["matrix"]["python"]
    assert test["strategy"]["matrix"]["python"] == [oldest, newest]


def test_the_files_that_are_published_are_those_that_were_tested_and_are_attested():
    made, *taken = (
        step["with"]
        for step in steps("release")
        if re.search(r"/(up|down)load-artifact@", step.get("uses", ""))
    )
    assert len(taken) == 2
    for given in taken:
        assert given == {"name": made["name"], "path": made["path"]}
    *_, attested, sent = jobs("release")["publish"]["steps"]
    assert attested["uses"].startswith("actions/attest@")
    assert attested["with"] == {"subject-path": f"{made['path']}/*"}
    assert sent == {"run": "make upload"}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^DIST := (.*)$", makefile, re.MULTILINE)[1] == made["path"]


def test_what_is_published_is_trusted_by_its_workflow_and_needs_no_token():
    publish = jobs("release")["publish"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    address = f"https://pypi.org/project/{project['name']}/"
    assert publish["environment"] == {"name": "pypi", "url": address}
    text = WORKFLOWS["release"].read_text("utf-8")
    assert not re.search(r"secrets|github\.token|password", text)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "uv publish --trusted-publishing always $(DIST)/*.whl" in makefile


GH = """\
#!/bin/sh
printf '%s|' "$@" >> calls
echo >> calls
[ "$2" = list ] && echo "$FOUND"
exit 0
"""


@facts(
    "found, called",
    [
        ("", "issue|create|--title|A b|--body|C d|"),
        ("7", "issue|comment|7|--body|C d|"),
    ],
)
def test_a_report_opens_one_issue_and_then_comments_on_it(tmp_path, found, called):
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin", "FOUND": found}
    command = [ROOT / ".ci/report", "A b", "C d"]
    subprocess.run(command, cwd=tmp_path, env=variables, check=True)
    asked, did = (tmp_path / "calls").read_text().splitlines()
    assert asked.startswith("issue|list|--state|open|")
    assert "env.TITLE" in asked
    assert did == called


def test_the_gpu_is_named_by_a_variable_and_left_out_without_it():
    workflow = load("gpu")
    assert set(workflow["on"]) == {"push", "schedule", "workflow_dispatch"}
    [job] = workflow["jobs"].values()
    assert job["runs-on"] == "${{ vars.GPU_RUNNER }}"
    assert job["if"] == "${{ vars.GPU_RUNNER != '' }}"


def test_what_is_weekly_comes_on_a_day_of_the_week_and_by_hand():
    for name in ("gpu", "freshness", "links"):
        [schedule] = load(name)["on"]["schedule"]
        *_, day_of_month, month, day_of_week = schedule["cron"].split()
        assert (day_of_month, month) == ("*", "*")
        assert day_of_week.isdigit()
        assert "workflow_dispatch" in load(name)["on"]
