"""Drop scripts nobody needs, follow what moved, know what is stale or unreadable.

Sphinx copies what stands beside the pages only when it has a page to write, so the
first page is read at every build.

At some notebooks that cannot be read Sphinx would stop with a traceback that names no
file, and others it would fix in silence and show. Here the build stops and names them.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook


def drop_thebe(app: Sphinx, config: Config) -> None:
    """Leave out Thebe, which runs code on somebody else's machine.

    Jupyter Book always brings it along.
    """
    for listeners in app.events.listeners.values():
        for listener in [*listeners]:
            if listener.handler.__module__.startswith("sphinx_thebe"):
                app.disconnect(listener.id)
    sheets = app.registry.css_files
    sheets[:] = [sheet for sheet in sheets if "thebe" not in sheet[0]]


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


def read_first_page(app: Sphinx, env: BuildEnvironment, *changes: set) -> list[str]:
    """Let the first page be read, so that files beside the pages are copied."""
    return [app.config.root_doc] if app.builder.name == "html" else []


def read_notebooks(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Read the notebooks that Sphinx is about to read: those that have changed.

    Raises:
        ExtensionError: One cannot be read.
    """
    try:
        for path in map(Path, map(env.doc2path, docnames)):
            if path.suffix == ".ipynb":
                read_notebook(path)
    except BookError as error:
        raise ExtensionError(str(error)) from None


def register(app: Sphinx) -> None:
    """Connect this part of the site to Sphinx."""
    # A new value makes Sphinx read every page again, and write each, also where the
    # build before was cut off when it had read them.
    digest = digest_sources(find_root(Path(__file__)))
    app.add_config_value("site_digest", digest, "env", types=(str,))
    app.add_config_value("site_written", digest, "html", types=(str,))
    app.connect("html-page-context", name_pages)
    app.connect("html-page-context", follow_parts)
    app.connect("config-inited", drop_thebe)
    app.connect("env-get-outdated", read_first_page)
    app.connect("env-before-read-docs", read_notebooks, priority=100)
