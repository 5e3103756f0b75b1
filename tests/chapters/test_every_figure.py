"""Every figure function of a chapter is drawn in its notebook."""

import inspect
import json
from importlib import import_module
from pathlib import Path

import chapters
from bookkit.checking.facts import facts

FILES = Path(chapters.__file__).parent.glob("*/figures.py")
MODULES = sorted(path.parent.name for path in FILES)


def drawing_functions(module):
    functions = inspect.getmembers(
        import_module(f"chapters.{module}.figures"), inspect.isfunction
    )
    return {name for name, _ in functions if name.startswith("draw_")}


@facts("module", MODULES)
def test_every_figure_of_a_module_is_drawn_in_its_chapter(module, pytestconfig):
    (path,) = (pytestconfig.rootpath / "book").glob(f"*/{module}.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    functions = drawing_functions(module)
    assert functions
    assert {name for name in functions if f"figures.{name}(" in code} == functions
