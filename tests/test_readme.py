"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_prints_what_its_comments_say(example, capsys):
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.split()
    assert printed == re.findall(r"print\(.*\)  # (.*)", example)
    assert printed
