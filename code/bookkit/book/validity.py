"""What a notebook of the book must be, besides JSON."""

from typing import Any

from nbformat.validator import iter_validate


def find_invalidity(document: object) -> str | None:
    """Return what keeps a document from being a valid notebook 4.5, or None."""
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        return "must be a notebook with a list of cells; restore it."
    version = document.get("nbformat"), document.get("nbformat_minor")
    if version != (4, 5):
        return (
            f"must have nbformat 4.5, and has {version[0]}.{version[1]}; save it "
            "again with a current Jupyter."
        )
    for error in iter_validate(document, version=4, version_minor=5):
        place = ".".join(map(str, error.absolute_path)) or "its top"
        fault = error.message.splitlines()[0][:200]
        return (
            f"is no valid notebook: {fault} (at {place}); save it again with a current "
            "Jupyter."
        )
    return _find_fault_of_cells(document["cells"])


def _find_fault_of_cells(cells: list[dict[str, Any]]) -> str | None:
    """Return what is wrong with the ids of cells that are valid."""
    if not cells:
        return "must have cells, and has none; write its title."
    ids = [cell["id"] for cell in cells]
    repeated = sorted({identity for identity in ids if ids.count(identity) > 1})
    if repeated:
        return f"must have unique cell ids, and repeats {', '.join(repeated)}."
    return None
