"""Plant a bug in functions that are loaded already, so that nothing is loaded anew.

A live function takes the code of the changed one. Its decorators, the checks of types
around it and what others hold of it stay as they are.
"""

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from bookkit.book.errors import BookError

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)
INSIDE = ".<locals>"

Functions = Mapping[str, Sequence[FunctionType]]


class UnplantableError(BookError):
    """A bug that changes more than what functions do: it must be loaded."""


def live_functions(folder: Path) -> Functions:
    """Find all functions of a folder's files that there are, by their file."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    gc.unfreeze()  # what is frozen is not among the objects
    for value in gc.get_objects():
        if type(value) is FunctionType:
            file = value.__code__.co_filename
            if file.startswith(f"{folder}/"):
                found[file].append(value)
    gc.freeze()
    return found


def changed_functions(old: str, new: str) -> tuple[set[str], list[ast.stmt]]:
    """Compare two sources of a module.

    Returns:
        The functions whose bodies differ, such as `attention` or `KVCache.append`; and
        the imports and functions that are new.

    Raises:
        UnplantableError: More differs.
    """
    (rest, bodies), (new_rest, new_bodies) = _outline(old), _outline(new)
    added = [node for text, node in new_rest.items() if text not in rest]
    gone = [node for text, node in rest.items() if text not in new_rest]
    for node in (*added, *gone):
        named = node.name if isinstance(node, FUNCTIONS) else None
        both = named in bodies and named in new_bodies
        if both or not isinstance(node, (*FUNCTIONS, *IMPORTS)):
            raise UnplantableError(
                "a bug that is planted in live functions must change their bodies "
                f"only, and changes line {node.lineno} too; load it."
            )
    shared = bodies.keys() & new_bodies.keys()
    return {name for name in shared if bodies[name] != new_bodies[name]}, added


def plant_live(
    module: ModuleType, old: str, new: str, functions: Sequence[FunctionType]
) -> set[str]:
    """Let the functions of a module do what a changed source says.

    Args:
        module: The module, as it is loaded.
        old: Its source.
        new: The changed source.
        functions: Those of its file that there are.

    Returns:
        The names of the functions that were changed.

    Raises:
        UnplantableError: They cannot; nothing is changed then.
    """
    names, added = changed_functions(old, new)
    load, file = module.__loader__.source_to_code, module.__file__
    before, after = (_codes(load(text.encode(), file)) for text in (old, new))
    chosen = [f for f in functions if _outer(f.__code__.co_qualname) in names]
    codes = [_counterpart(f.__code__, before, after) for f in chosen]
    missing = names - {f.__code__.co_qualname for f in chosen}
    if missing or not names:
        raise UnplantableError(f"{', '.join(missing) or 'a function'} must be live.")
    exec(compile(ast.Module(added, []), file, "exec"), vars(module))
    for function, code in zip(chosen, codes, strict=True):
        function.__code__ = code
    return names


def touches(called: str, names: set[str]) -> bool:
    """Return whether a function that was called is one of some, or inside one."""
    return _outer(called) in names


def _outline(source: str) -> tuple[dict[str, ast.stmt], dict[str, list[str]]]:
    """Return the statements of a module without bodies of functions, and the bodies."""
    tree, whole = ast.parse(source), ast.parse(source)
    bodies: dict[str, list[str]] = defaultdict(list)

    def empty(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                body = ast.dump(ast.Module(child.body, []))
                bodies[prefix + child.name].append(body)
                child.body = []
            else:
                inner = isinstance(child, ast.ClassDef)
                empty(child, f"{prefix}{child.name}." if inner else prefix)

    empty(tree, "")
    pairs = zip(tree.body, whole.body, strict=True)
    return {ast.dump(bare): node for bare, node in pairs}, bodies


def _codes(module: CodeType) -> dict[str, list[CodeType]]:
    """Return all code inside a module by its qualified name."""
    found: dict[str, list[CodeType]] = defaultdict(list)
    for code in _inside(module):
        found[code.co_qualname].append(code)
    return found


def _inside(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _inside(inner)


def _counterpart(
    code: CodeType,
    before: Mapping[str, Sequence[CodeType]],
    after: Mapping[str, Sequence[CodeType]],
) -> CodeType:
    """Find the code that a function gets: of two with one name, that in its place."""
    name = code.co_qualname
    lines = [found.co_firstlineno for found in before[name]]
    if len(lines) != len(after[name]) or lines.count(code.co_firstlineno) != 1:
        raise UnplantableError(f"{name} must be one function before and after.")
    new = after[name][lines.index(code.co_firstlineno)]
    if new.co_freevars != code.co_freevars:
        raise UnplantableError(f"{name} must take the same names from around it.")
    return new


def _outer(name: str) -> str:
    """Return the outermost function of one that may be inside another."""
    return name.partition(INSIDE)[0]
