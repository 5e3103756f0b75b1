"""The formulas in the docstrings of the package, which is read as text."""

import ast
import re
from pathlib import Path

PACKAGE = "code/transformer"
DISPLAYED = re.compile(r"\$\$(.+?)\$\$", re.S)


def docstring_formulas(root: Path) -> dict[str, str]:
    """Return the LaTeX of each displayed formula: `layers.norms:rms_norm` names one.

    A second formula of a docstring has the ending (2).
    """
    found: dict[str, str] = {}
    folder = root / PACKAGE
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                text = ast.get_docstring(node) or ""
                for i, latex in enumerate(DISPLAYED.findall(text), start=1):
                    name = f"{module}:{node.name}" + (f" ({i})" if i > 1 else "")
                    found[name] = latex.strip()
    return found
