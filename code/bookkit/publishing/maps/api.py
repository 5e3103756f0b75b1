"""Write the API pages: which objects stand on a page, and what each is linked to.

The text of an object is its docstring, which Sphinx reads itself. These functions
give the frame: headings, one directive an object, its chapters and its tests.
"""

from collections.abc import Iterator, Mapping, Sequence

from bookkit.publishing.maps.atlas import Atlas
from bookkit.publishing.maps.chapters import Place
from bookkit.publishing.maps.package import PACKAGE, Thing

MOST = 4  # links of a kind for one object
_DIRECTIVES = {"class": "autoclass", "function": "autofunction", "data": "autodata"}

_OPTIONS = {"class": "members", "data": "no-value"}


def page_objects(atlas: Atlas, words: Sequence[str]) -> dict[str, dict[Thing, str]]:
    """List the objects that a page holds, by module, each with its public name.

    Args:
        atlas: What is known of package, book and tests.
        words: Modules, such as `transformer.layers.norms`, or rooms with all of theirs.

    Returns:
        For each module what it exports, then what the book names besides.

    Raises:
        ValueError: If a word names nothing of the package that has a public object.
    """
    known = _objects_by_module(atlas)
    modules = []
    for word in words:
        found = [
            module for module in sorted(known) if f"{module}.".startswith(f"{word}.")
        ]
        if not found:
            raise ValueError(
                f"An API page must name a room or a module, got {word!r}; choose one "
                f"of {', '.join(sorted(known))}."
            )
        modules += found
    return {module: known[module] for module in modules}


def _objects_by_module(atlas: Atlas) -> dict[str, dict[Thing, str]]:
    """Map each module to its objects that have an entry, with their public names."""
    package, found = atlas.package, {}
    entries = {thing.address: name for name, thing in package.exports.items()}
    for address in sorted(atlas.helpers):
        entries.setdefault(address, address.replace(":", "."))
    for address, name in entries.items():
        thing = package.things[address]
        found.setdefault(thing.module, {})[thing] = name
    return found


def page_text(atlas: Atlas, words: Sequence[str]) -> str:
    """Write the part of an API page that holds the objects of some modules."""
    objects = page_objects(atlas, words)
    return "\n".join(
        line
        for module in objects
        for line in _module_lines(atlas, module, objects[module])
    )


def index_text(atlas: Atlas) -> str:
    """Write the table of all objects, room by room."""
    lines = []
    for room in dict.fromkeys(
        name.rpartition(".")[0] for name in atlas.package.exports
    ):
        lines += ["", f"## {room}", "", "| object | what it is |", "|---|---|"]
        for name, thing in atlas.package.exports.items():
            if name.rpartition(".")[0] == room:
                first = summary(thing).replace("|", r"\|")
                lines.append(f"| {entry_link(name)} | {first} |")
    return "\n".join(lines)


def summary(thing: Thing) -> str:
    """Return the first sentence of an object's documentation."""
    return " ".join(thing.doc.partition("\n\n")[0].split())


def entry_link(name: str) -> str:
    """Write a link to the entry of an object on the API pages."""
    short = ".".join(name.split(".")[2:])
    return f"{{py:obj}}`{short} <{name}>`"


def _module_lines(
    atlas: Atlas, module: str, things: Mapping[Thing, str]
) -> Iterator[str]:
    """Yield the lines of one module: its heading, then its objects."""
    path = f"code/{module.replace('.', '/')}.py"
    yield f"## {module.removeprefix(f'{PACKAGE}.')}"
    first = atlas.package.modules[module].doc.partition("\n\n")[0]
    source = f"[Source of {module}]({atlas.files_url}/{path})"
    yield f"\n{' '.join(first.split())} {source}\n"
    for thing, name in things.items():
        yield from object_lines(atlas, thing, name)


def object_lines(atlas: Atlas, thing: Thing, name: str) -> Iterator[str]:
    """Yield the lines of one object: its directive, its chapters, its tests."""
    yield f"```{{eval-rst}}\n.. {_DIRECTIVES[thing.kind]}:: {name}"
    if option := _OPTIONS.get(thing.kind):
        yield f"   :{option}:"
    yield "```"
    links = [chapter_links(atlas.places.get(thing.address, []), "../../")]
    paths = atlas.nearest_tests(thing)[:MOST]
    tests = ", ".join(f"[{path}]({atlas.files_url}/{path})" for path in paths)
    links.append(f"Tests: {tests}." if tests else "")
    yield f"\n{{.api-links}}\n{' '.join(link for link in links if link)}\n"


def chapter_links(places: list[Place], base: str) -> str:
    """Write in which chapters an object is drawn, or else used."""
    drawn = [place for place in places if place.drawn]
    chosen = (drawn or places)[:MOST]
    verb = "Shown in" if drawn else "Used in"
    links = ", ".join(place.link(base) for place in chosen)
    return f"{verb} {links}." if links else ""
