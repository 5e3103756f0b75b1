"""The book's commands: draw, run, pdf, epub, set-repository and constraints."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bookkit.notebooks import NotebookError, chapters, find_root


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a fault is one sentence and the exit code 1."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except (NotebookError, ValueError) as error:
        print(f"bookkit {options.name}: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(prog="python -m bookkit", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    draw = commands.add_parser("draw", help="refresh the cells that hold source code")
    run = commands.add_parser("run", help="execute notebooks and normalize them")
    for command in (draw, run):
        command.add_argument("notebook", nargs="?", type=Path, help="only this one")
    run.add_argument("--timeout", type=int, help="seconds for one cell")
    run.add_argument("--measure", action="store_true", help="renew measured times too")
    address = commands.add_parser("set-repository", help="set the book's address")
    address.add_argument("url", help="https://host/owner/name")
    pins = commands.add_parser("constraints", help="write constraints.txt")
    draw.set_defaults(command=_draw)
    run.set_defaults(command=_run)
    address.set_defaults(command=_set_repository)
    pins.set_defaults(command=_constraints)
    pdf = commands.add_parser("pdf", help="print the built site into one PDF")
    pdf.set_defaults(command=_pdf)
    epub = commands.add_parser("epub", help="bind the built site into an EPUB")
    epub.set_defaults(command=_epub)
    return parser


def _selected(options: argparse.Namespace) -> list[Path]:
    """List the notebooks that a command is about."""
    return [options.notebook] if options.notebook else chapters(find_root())


def _draw(options: argparse.Namespace) -> None:
    """Refresh bootstrap and drawn cells and say which changed."""
    from bookkit.bootstrap import write_bootstrap
    from bookkit.draw import draw_notebook

    paths = _selected(options)
    changes = write_bootstrap(find_root(paths[0]), paths) if paths else []
    changes += [sentence for path in paths for sentence in draw_notebook(path)]
    print("\n".join([*changes, f"{len(changes)} cells refreshed."]))


def _run(options: argparse.Namespace) -> None:
    """Execute notebooks."""
    from bookkit.run import CELL_TIMEOUT, run_all

    timeout = options.timeout or CELL_TIMEOUT
    run_all(_selected(options), timeout=timeout, measure=options.measure)


def _set_repository(options: argparse.Namespace) -> None:
    """Rewrite the address of the repository everywhere."""
    from bookkit.repository import set_repository

    for name in set_repository(find_root(), options.url):
        print(name)
    if urlsplit(options.url).hostname != "github.com":
        print(
            "Colab opens notebooks from github.com only: "
            f"its links in the book will not work for {options.url}."
        )


def _constraints(options: argparse.Namespace) -> None:
    """Write constraints.txt."""
    from bookkit.constraints import write_constraints

    write_constraints(find_root())


def _pdf(options: argparse.Namespace) -> None:
    """Print the whole book."""
    from bookkit.edition.pdf import make_pdf

    print(f"The PDF is ready: {make_pdf(find_root())}")


def _epub(options: argparse.Namespace) -> None:
    """Bind the whole book."""
    from bookkit.edition.epub import make_epub

    print(f"The EPUB is ready: {make_epub(find_root())}")


if __name__ == "__main__":
    sys.exit(main())
