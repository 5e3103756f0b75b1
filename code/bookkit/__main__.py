"""The book's commands: `python -m bookkit --help` lists them."""

import argparse
import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import compress
from pathlib import Path

from bookkit.book.errors import BookError, nearest_path, nearest_to
from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import (
    CHINESE,
    chapters,
    read_notebook,
    renew_notebooks,
    write_notebook,
)

Command = Callable[[argparse.Namespace], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a fault is one sentence and the exit code 1."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser, names = _parser()
    name = arguments[0] if arguments else ""
    if not name.startswith("-") and name not in names:
        print(
            f"bookkit must be given a command, got {name or 'none'}"
            f"{nearest_to(name, names)}; python -m bookkit --help lists them.",
            file=sys.stderr,
        )
        return 2
    options = parser.parse_args(arguments)
    try:
        _check_given(getattr(options, "notebook", None))
        options.command(options)
    except (BookError, ValueError) as error:
        print(f"bookkit {options.name}: {error}", file=sys.stderr)
        return 1
    return 0


def _check_given(notebook: Path | None) -> None:
    """Check that a notebook is where a command was told."""
    if notebook is None or notebook.exists() or notebook.is_symlink():
        return
    known = [relative_name(path) for path in chapters(find_root(notebook))]
    raise BookError(
        f"{notebook} must be a notebook, and is not there"
        f"{nearest_path(notebook.as_posix(), known)}; mend the path."
    )


def _parser() -> tuple[argparse.ArgumentParser, Collection[str]]:
    """Describe the command line, and list its commands."""
    parser = argparse.ArgumentParser(prog="python -m bookkit", description=__doc__)
    commands = parser.add_subparsers(dest="name", metavar="COMMAND", required=True)

    def add(name: str, command: Command, does: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=does)
        added.set_defaults(command=command)
        return added

    draw = add("draw", _draw, "refresh the cells that hold source code")
    run = add("run", _run, "execute notebooks and normalize them")
    check = add("check", _check, "list all that one notebook lacks")
    check.add_argument("notebook", type=Path, help="which")
    new = add("new-exercise", _new_exercise, "lay out an exercise to be written")
    new.add_argument("notebook", type=Path, help="where")
    new.add_argument("label", help="such as ex-window")
    new.add_argument("title", help="the words of its heading")
    colab = add("colab", _colab, "open notebooks as Colab would")
    for command in (draw, run, colab):
        command.add_argument("notebook", nargs="?", type=Path, help="only this one")
    run.add_argument("--timeout", type=int, help="seconds for one cell")
    canary = add("canary", _canary, "check that planted wrong outputs are noticed")
    canary.add_argument("--write", action="store_true", help="make the canary anew")
    add("test-gpu", _test_gpu, "check models, notebooks and canary on a GPU")
    add("references", _references, "write references, numbers and reading times")
    chinese = add("chinese", _chinese, "write the Chinese pages from their catalogs")
    chinese.add_argument("page", nargs="?", help="an English one that gets a catalog")
    font = add("chinese-font", _chinese_font, "write the font for Chinese signs")
    font.add_argument("source", type=Path, help="a font that has them all")
    font.add_argument(
        "--labels", action="store_true", help="for figures, not for pages"
    )
    add("appendix", _appendix, "write the generated pages")
    add("constraints", _constraints, "write what is installed, with hashes")
    patches = add("patches", _patches, "plant bugs and see what notices")
    patches.add_argument("--only", default="*", help="a pattern of names")
    kinds = ("classic", "meaning", "all")
    patches.add_argument("--kind", choices=kinds, default="all")
    add("book", _book, "build the site")
    reach = add("reached", _reached, "list tests and notebooks that a change reaches")
    reach.add_argument("base", nargs="?", default="HEAD", help="since which commit")
    seconds = add("seconds", _seconds, "say where the last runs spent their time")
    seconds.add_argument("--keep", action="store_true", help="as the record")
    inventory = add("inventory", _inventory, "note what readers see of each page")
    inventory.add_argument("folder", type=Path, help="where it goes")
    inventory.add_argument("--only", default="*", help="a pattern of pages")
    difference = add("inventory-diff", _inventory_diff, "compare two inventories")
    difference.add_argument("before", type=Path, help="the folder of one")
    difference.add_argument("after", type=Path, help="the folder of a later one")
    levels = "of 255: by how many a few pixels of a picture may differ"
    difference.add_argument("--tolerance", type=int, default=16, help=levels)
    slides = add("slides", _slides, "make slides of a chapter")
    slides.add_argument("notebook", type=Path, help="which")
    add("pdf", _pdf, "print the built site into one PDF")
    add("epub", _epub, "bind the book into an EPUB")
    add("release", _release, "put what pages offer into the built site")
    return parser, commands.choices


def _selected(options: argparse.Namespace) -> list[Path]:
    """List the notebooks that a command is about."""
    return [options.notebook] if options.notebook else chapters(find_root())


def _tell(changed: Sequence[str], what: str, done: str) -> None:
    """Say what has changed, line by line, and how much it is."""
    plural = "s" * (len(changed) != 1)
    print("\n".join([*changed, f"{len(changed)} {what}{plural} {done}."]))


def _draw(options: argparse.Namespace) -> None:
    """Refresh bootstrap and drawn cells and say which changed."""
    from bookkit.writing.bootstrap import bootstrap_renewal
    from bookkit.writing.draw import draw_cells

    paths = _selected(options)
    bootstrap = bootstrap_renewal(find_root(options.notebook))
    changes = renew_notebooks(paths, bootstrap, draw_cells)
    _tell(changes, "cell", "refreshed")


def _run(options: argparse.Namespace) -> None:
    """Execute notebooks."""
    from bookkit.writing.run import CELL_TIMEOUT, run_all
    from bookkit.writing.translations import draw_figures

    timeout = options.timeout or CELL_TIMEOUT
    execute = partial(run_all, timeout=timeout)
    paths = _selected(options)
    names = [*map(relative_name, paths)]
    is_english = (not name.startswith(CHINESE) for name in names)
    execute([*compress(paths, is_english)])
    draw_figures(find_root(), names, execute)


def _check(options: argparse.Namespace) -> None:
    """Refresh what is generated, and list all that one notebook lacks."""
    from bookkit.checking.page import missing

    if options.notebook.suffix == ".md":
        raise BookError(
            f"{options.notebook} is a page of Markdown, and this command checks "
            "notebooks; 'make book' checks the links and references of the page, and "
            "'make test' the rules of all pages."
        )
    found = []
    for renew in (_normalize, _draw, _references, _appendix, _chinese):
        try:
            renew(options)
        except (BookError, ValueError) as error:
            found.append(str(error))
    print("Checking rules, formulas, exercises, figures and outputs.", flush=True)
    found += missing(options.notebook.resolve())
    if found:
        print("\n".join(dict.fromkeys(found)), flush=True)
        raise BookError(f"{options.notebook} lacks what is listed above.")
    print(f"{options.notebook} lacks nothing.")


def _normalize(options: argparse.Namespace) -> None:
    """Take from a notebook what JupyterLab adds when it saves, and say so."""
    from bookkit.writing.normalize import normalize_metadata

    notebook = read_notebook(options.notebook)
    normalize_metadata(notebook)
    changed = write_notebook(options.notebook, notebook)
    _tell([relative_name(options.notebook)] * changed, "notebook", "normalized")


def _new_exercise(options: argparse.Namespace) -> None:
    """Lay an exercise out, and say what to do next."""
    from bookkit.writing.exercise import lay_exercise

    changed = lay_exercise(options.notebook.resolve(), options.label, options.title)
    _tell(changed, "file", "written")
    print(f"`make check NOTEBOOK={options.notebook}` lists what is left to write.")


def _chinese(options: argparse.Namespace) -> None:
    """Write the Chinese pages, and list what is still to be translated."""
    from bookkit.writing import translations

    if page := getattr(options, "page", None):
        translations.begin_translation(find_root(), page)
    changed = translations.stale_translations(find_root(), write=True)
    _tell(changed, "file", "written")
    if waiting := translations.untranslated(find_root()):
        print("\n".join(["In English until somebody translates it:", *waiting]))
    print(*translations.undrawn(find_root()), sep="\n", end="")


def _appendix(options: argparse.Namespace) -> None:
    """Write the generated pages of the appendix and say which changed."""
    from bookkit.publishing.appendix import write_pages

    names = write_pages(find_root())
    _tell(names, "page", "written")


def _colab(options: argparse.Namespace) -> None:
    """Open notebooks in clean environments, as Colab does; the canary first."""
    from bookkit.checking.canary import check
    from bookkit.checking.canary.modes import as_in_colab
    from bookkit.checking.colab.session import tour

    check(find_root(), {"in Colab": (as_in_colab, False)})
    tour(find_root(), _selected(options))


def _canary(options: argparse.Namespace) -> None:
    """Validate the canary in every mode, or make it anew."""
    from bookkit.checking.canary import MODES, NOTEBOOK, check, write

    if options.write:
        changed = write(find_root())
        print(f"{NOTEBOOK}: {'changed' if changed else 'unchanged'}")
    else:
        check(find_root(), MODES)


def _test_gpu(options: argparse.Namespace) -> None:
    """Check the book on a GPU."""
    from bookkit.checking.gpu import check

    check(find_root())


def _references(options: argparse.Namespace) -> None:
    """Refresh references, numbers and reading times and say where they changed."""
    from bookkit.writing.minutes import stale_times
    from bookkit.writing.references import stale_references

    changed = stale_references(find_root(), write=True)
    changed += stale_times(find_root(), write=True)
    _tell(changed, "place", "refreshed")


def _constraints(options: argparse.Namespace) -> None:
    """Write constraints.txt and the lists beside it."""
    from bookkit.writing.constraints import write_constraints

    write_constraints(find_root())


def _chinese_font(options: argparse.Namespace) -> None:
    """Write a font and say how many signs it has."""
    from bookkit.writing.chinese import write_font, write_label_font

    write = write_label_font if options.labels else write_font
    print(f"{write(find_root(), options.source)} signs written.")


def _patches(options: argparse.Namespace) -> None:
    """Plant bugs in copies of the package."""
    from bookkit.checking.planting import plant

    plant(find_root(), only=options.only, kind=options.kind)


def _reached(options: argparse.Namespace) -> None:
    """Say what a change reaches: why on stderr, and a line each of tests and pages."""
    from bookkit.publishing.maps.reached import reached

    found = reached(find_root(), options.base)
    print("\n".join(found.why), file=sys.stderr)
    print(" ".join(found.tests), " ".join(found.notebooks), sep="\n")


def _seconds(options: argparse.Namespace) -> None:
    """Say what the last runs of tests and notebooks spent, and on what."""
    from bookkit.checking.seconds import tell

    print("\n".join(tell(find_root(), keep=options.keep)))


def _book(options: argparse.Namespace) -> None:
    """Build the site."""
    from bookkit.publishing.build import build

    build(find_root())


def _inventory(options: argparse.Namespace) -> None:
    """Make an inventory of the built site."""
    from bookkit.checking.browser import SITE
    from bookkit.checking.inventory import make_inventory

    count = make_inventory(find_root() / SITE, options.folder, options.only)
    print(f"The inventory is ready: {count} pages in {options.folder}")


def _inventory_diff(options: argparse.Namespace) -> None:
    """Say what differs between two inventories."""
    from bookkit.checking.inventory.compare import compare_inventories

    folders = options.before, options.after
    lines = [*compare_inventories(*folders, options.tolerance)]
    print("\n".join(lines) or "Readers see no difference.")


def _slides(options: argparse.Namespace) -> None:
    """Make slides of the figures and the summary of a chapter."""
    from bookkit.publishing.slides import write_slides

    print(f"The slides are ready: {write_slides(options.notebook.resolve())}")


def _pdf(options: argparse.Namespace) -> None:
    """Print the whole book."""
    from bookkit.publishing.edition.pdf import make_pdf

    print(f"The PDF is ready: {make_pdf(find_root())}")


def _epub(options: argparse.Namespace) -> None:
    """Bind the whole book."""
    from bookkit.publishing.edition.epub import make_epub

    print(f"The EPUB is ready: {make_epub(find_root())}")


def _release(options: argparse.Namespace) -> None:
    """Put into the built site what its pages offer."""
    from bookkit.publishing.release import release

    print(f"The site is complete: what it offers is in {release(find_root())}")


if __name__ == "__main__":
    sys.exit(main())
