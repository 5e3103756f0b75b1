"""Tests of packages that may be missing."""

import math
import re
import tomllib

from transformer.packages import DISTRIBUTION, need


def test_what_is_there_is_imported():
    assert need("math", what="counting needs", extra="training") is math


def test_what_is_missing_is_named_with_what_to_install(refuses):
    refuses(
        lambda: need("missing_package.part", what="flying needs", extra="wings"),
        ImportError,
        "^flying needs missing_package, which is not installed; run: pip install "
        r'"tested-transformer\[wings\]"$',
    )


def test_each_extra_that_a_message_names_installs_the_package(pytestconfig):
    root = pytestconfig.rootpath
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    call = re.compile(r'need\(\s*"(\w+)[^)]*extra="(\w+)"\)')
    files = [
        path
        for part in ("transformer", "chapters")
        for path in (root / "code" / part).rglob("*.py")
    ]
    asked = {pair for path in files for pair in call.findall(path.read_text("utf-8"))}
    assert len(asked) >= 6
    called = {"sklearn": "scikit-learn"}  # where a package bears another name
    for module, extra in asked:
        package = called.get(module, module)
        assert package in project["optional-dependencies"][extra], (package, extra)
