"""Leave out scripts that nobody needs, follow what moved, know when pages are stale."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.book.files import find_root

PAPER = re.compile(r"\bprint\.(?:css|js)\b")


def needs(asset: Any, page: str) -> bool:
    """Return whether a page needs a script or style sheet that Sphinx would link.

    None needs those of Thebe, which run code on somebody else's machine, and nobody
    prints a search.
    """
    attributes = getattr(asset, "attributes", {})
    name = str(getattr(asset, "filename", asset))
    if page == "search" and PAPER.search(name):
        return False
    return "thebe" not in f"{name} {attributes.get('body', '')}".lower()


def drop_assets(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out what the page does not need."""
    for kind in ("script_files", "css_files"):
        context[kind] = [
            asset for asset in context.get(kind, []) if needs(asset, pagename)
        ]


def name_pages(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Let a template ask for the title of any page."""
    context["title_of"] = lambda name: app.env.titles[name].astext()


def lead_on(parts: dict[str, str]) -> str:
    """Write the script that leads from the old name of a part to where it is now."""
    return (
        "// Where parts of this page are now.\n{\n"
        f"const parts = {json.dumps(parts, indent=2)};\n"
        "const asked = location.hash.slice(1);\n"
        "if (Object.hasOwn(parts, asked)) location.replace(parts[asked]);\n}\n"
    )


def follow_parts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give a page that was split the script that leads on to its parts.

    A page that is still there gets it among its scripts, and the template of one that
    is gone as `parts_that_moved`.
    """
    places = app.config.html_context.get("moved", {}).get(pagename, {})
    parts = {
        old: f"{context['pathto'](place)}#{new or old}"
        for place, names in places.items()
        for old, new in names.items()
    }
    if parts and doctree is not None:
        app.add_js_file(None, body=lead_on(parts))
    elif parts:
        context["parts_that_moved"] = lead_on(parts)


def list_sources(root: Path) -> list[Path]:
    """List the code and the styles that every page may depend on."""
    tools = root / "code/bookkit"
    code = (f for room in ("book", "publishing") for f in (tools / room).rglob("*.*"))
    own = (file for file in code if file.suffix in (".js", ".py", ".yml"))
    answers = root.glob("code/chapters/*/answers.py")
    return sorted([*own, *root.glob("book/_static/*.*s"), *answers])


def digest_sources(root: Path) -> str:
    """Sum up what every page may depend on."""
    digest = hashlib.sha256()
    for file in list_sources(root):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    # A new value makes Sphinx write every page again.
    digest = digest_sources(find_root(Path(__file__)))
    app.add_config_value("site_digest", digest, "env", types=(str,))
    app.connect("html-page-context", name_pages)
    app.connect("html-page-context", follow_parts)
    # After the extensions that add scripts to a page.
    app.connect("html-page-context", drop_assets, priority=900)
