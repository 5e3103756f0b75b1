"""Keep the formulas of a page in the form that readers of EPUB lay out themselves."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from lxml import etree
from lxml.html import HtmlElement

from bookkit.publishing.edition.letters import set_letters
from bookkit.publishing.edition.signs import take_signs

_SCRIPT_PARTS = 2
# Signs: what is longer may go on below, since readers enlarge the letters of a device.
_LONG = 16  # a formula within a line
_LONG_IN_CELL = 12  # or in a column of a table
_LONG_LINE = 22  # a part of a formula on a line of its own
_SPACES = ("1em", "2em")
_QUADS = (r"\quad", r"\qquad")
# Behind these, outside of brackets, a formula may go on below: in TeX and in MathML.
_ORDER = {
    **{"<": "<", ">": ">", r"\lt": "<", r"\gt": ">"},
    **{r"\le": "≤", r"\leq": "≤", r"\ge": "≥", r"\geq": "≥"},
}
_RELATIONS = {
    **{"=": "=", r"\approx": "≈", r"\sim": "\N{TILDE OPERATOR}", r"\propto": "∝"},
    **{r"\mapsto": "↦", r"\to": "→", r"\rightarrow": "→", **_ORDER},
}
# What is still long, behind these, and then behind those.
_SUMS = {"+": "+", "-": "\N{MINUS SIGN}"}
_PRODUCTS = {r"\cdot": "⋅", r"\odot": "⊙", r"\times": "\N{MULTIPLICATION SIGN}"}
# What is long within a line breaks behind = first, and then behind these.
_WITHIN = {**_SUMS, **_ORDER}
# KaTeX writes the line above a letter with a sign that fonts for formulas lack.
_MODIFIER, _MACRON = "\N{MODIFIER LETTER MACRON}", "\N{MACRON}"
_APPLICATION = "\N{FUNCTION APPLICATION}"
_THIN = "0.1667em"
_SCRIPTED = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)
_OPEN = ("(", "[", "{", r"\{", r"\begin")
_CLOSE = (")", "]", "}", r"\}", r"\end")

Part = TypeVar("Part")


def keep_formulas(article: HtmlElement) -> None:
    """Keep the MathML of each formula, in parts that a small page has room for."""
    for formula in article.find_class("katex"):
        _keep_mathml(formula)
    for math in article.xpath(".//span[contains(@class, 'math')]/math"):
        _let_break(math)
    for math in article.xpath(".//span[contains(@class, 'math')]/math"):
        _let_break_within(math)
    for math in article.xpath(".//*[@class='katex-display']/math"):
        _let_wrap(math)
    for whole in article.find_class("keep"):
        # The site keeps a formula with the signs behind it, and not with those before.
        if whole.find(".//math") is not None:
            whole.drop_tag()
    for place in article.xpath(".//span[contains(@class, 'math')][math]"):
        if "katex-display" not in place.classes:
            _keep_signs(place)
    for number in article.find_class("eqno"):
        _put_first(number)


def _keep_mathml(formula: HtmlElement) -> None:
    """Keep the form of a formula that readers of EPUB lay out themselves."""
    math = formula.find(".//math")
    source = math.find(".//annotation")
    math.set("alttext", source.text or "")
    source.getparent().remove(source)
    formula.getparent().replace(formula, math)
    math.tail = formula.tail
    _mend_mathml(math)
    set_letters(math)
    for operator in math.iter("mo"):
        if operator.text == _APPLICATION:
            _set_apart(operator)
        elif operator.text == _MODIFIER:
            operator.text = _MACRON


def _mend_mathml(math: HtmlElement) -> None:
    """Mend two ways of KaTeX that readers of EPUB may refuse.

    It writes the name of an operator such as mod as letters that are elements, and lets
    the space after a name such as max be a third part of an index.
    """
    for operator in math.iter("mo"):
        if len(operator):
            words = "".join(operator.itertext())
            for letter in list(operator):
                operator.remove(letter)
            operator.text = words
    for script in math.iter("msub", "msup"):
        if len(script) > _SCRIPT_PARTS:
            row = etree.Element("mrow")
            row.extend(script[1:])
            script.append(row)


def _set_apart(application: HtmlElement) -> None:
    """Set the name of a function apart from the letters beside it."""
    name, argument = application.getprevious(), application.getnext()
    around = application.getparent()
    if argument is None and around.getparent().tag in _SCRIPTED:
        # With an index, as of the least over all t.
        name = around.getparent()
        argument = name.getnext()
    before = None if name is None else name.getprevious()
    if before is not None and before.tag not in {"mo", "mspace", "mtext"}:
        name.addprevious(etree.Element("mspace", width=_THIN))
    if argument is not None and argument.tag not in {"mo", "mspace", "mtext"}:
        argument.addprevious(etree.Element("mspace", width=_THIN))


def _let_break(math: HtmlElement) -> None:
    """Let a long formula within a line break behind each sign of equality.

    Readers of EPUB break no formula: it becomes several, one behind the other.
    """
    row, words = math.find("semantics/mrow"), _split(math.get("alttext"))
    if row is None or _has_room(math, row):
        return
    if sum(part.text == "=" for part in row.iterchildren("mo")) != len(words) - 1:
        return
    parts = list(row)
    for place in [n for n, part in enumerate(parts) if part.text == "="][::-1]:
        _go_on(math, parts[place + 1 :], words.pop())
        del parts[place + 1 :]
    math.set("alttext", words.pop())


def _go_on(math: HtmlElement, parts: list[HtmlElement], tex: str) -> HtmlElement:
    """Let a formula go on in another one, behind a place where the line may break."""
    rest = etree.Element("math", alttext=tex)
    etree.SubElement(etree.SubElement(rest, "semantics"), "mrow").extend(parts)
    rest.tail, math.tail = math.tail, None
    math.addnext(rest)
    math.addnext(etree.Element("wbr"))
    return rest


def _has_room(math: HtmlElement, row: HtmlElement) -> bool:
    """Return whether a formula is short enough for the line or the cell it is in."""
    in_cell = next(math.iterancestors("td", "th"), None) is not None
    return len(_name(row)) < (_LONG_IN_CELL if in_cell else _LONG)


def _let_break_within(math: HtmlElement) -> None:
    """Let what is long without a sign of equality break behind another relation."""
    row = math.find("semantics/mrow")
    if row is None or _has_room(math, row):
        return
    parts, words = _cut_at(list(row), _TOKEN.findall(math.get("alttext")), _WITHIN)
    last = math
    for elements, tex in zip(parts[1:], words[1:], strict=True):
        last = _go_on(last, elements, "".join(tex).strip())
    math.set("alttext", "".join(words[0]).strip())


def _split(formula: str) -> list[str]:
    """Split TeX behind each = that stands in no braces."""
    parts, depth = [""], 0
    for letter in formula:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        parts[-1] += letter
        if letter == "=" and depth == 0:
            parts.append("")
    return [part.strip() for part in parts]


def _keep_signs(place: HtmlElement) -> None:
    """Keep a full stop and a bracket on the line of the formula beside them."""
    before, after = take_signs(place)
    parts = place.findall("math")
    if after:
        _wrap(parts[-1]).find("math").tail = after
    if before:
        kept = parts[0].getparent()
        (_wrap(parts[0]) if kept is place else kept).text = before


def _wrap(math: HtmlElement) -> HtmlElement:
    """Put a formula into an element that stays on one line."""
    kept = etree.Element("span", {"class": "kept"})
    math.addprevious(kept)
    kept.tail, math.tail = math.tail, None
    kept.append(math)
    return kept


def _put_first(number: HtmlElement) -> None:
    """Put the number of a formula before it, to stand beside it and not below."""
    formula = number.getparent()
    text, number.tail = number.tail or "", None
    previous = number.getprevious()
    if previous is not None:
        previous.tail = (previous.tail or "") + text
        formula.insert(0, number)


def _let_wrap(math: HtmlElement) -> None:
    """Let a formula on a line of its own go on below: each part becomes a formula.

    A reading device does not scroll, and cuts off what is wider than its page.
    """
    row = math.find("semantics/mrow")
    parts = [] if row is None else _cut_display(list(row), math.get("alttext"))
    if len(parts) < 2:
        return
    del math.attrib["display"]
    place = math
    for number, (is_apart, elements, words) in enumerate(parts):
        part = math
        if number:
            part = etree.Element("math")
            etree.SubElement(etree.SubElement(part, "semantics"), "mrow")
            between = etree.Element("wbr")
            if is_apart:
                between = etree.Element("span", {"class": "quad"})
                between.text = " "
            place.addnext(between)
            between.addnext(part)
            place = part
        part.set("displaystyle", "true")
        part.set("alttext", words)
        part.find("semantics/mrow")[:] = elements


def _cut_display(
    row: list[HtmlElement], tex: str
) -> list[tuple[bool, list[HtmlElement], str]]:
    """Cut a formula and its TeX at wide spaces, and what is long then at relations.

    Returns:
        Whether a wide space stands before each part, its elements, and its TeX.
    """
    lines = _cut(row, _is_space, _bracket)
    sources = _cut(_TOKEN.findall(tex), lambda word: word in _QUADS, str)
    if len(lines) != len(sources):
        lines, sources = [row], [_TOKEN.findall(tex)]
    found = []
    for line, source in zip(lines, sources, strict=True):
        line = [part for part in line if not _is_space(part)]
        source = [word for word in source if word not in _QUADS]
        pairs = [(line, source)]
        for signs in (_RELATIONS, _SUMS, _PRODUCTS):
            pairs = [pair for long in pairs for pair in _cut_long(*long, signs)]
        for number, (part, word) in enumerate(pairs):
            found.append((number == 0, part, "".join(word).strip()))
    return found


def _cut_long(
    line: list[HtmlElement], source: list[str], signs: Mapping[str, str]
) -> list[tuple[list[HtmlElement], list[str]]]:
    """Cut a line of a formula and its TeX behind signs, if it is long."""
    if len("".join(_name(part) for part in line)) <= _LONG_LINE:
        return [(line, source)]
    return list(zip(*_cut_at(line, source, signs), strict=True))


def _cut_at(
    line: list[HtmlElement], source: list[str], signs: Mapping[str, str]
) -> tuple[list[list[HtmlElement]], list[list[str]]]:
    """Cut a line of a formula and its TeX behind signs, if both have as many."""
    parts = _cut(line, lambda part: part.text in signs.values(), _bracket)
    words = _cut(source, lambda word: word in signs, str)
    return (parts, words) if len(parts) == len(words) else ([line], [source])


def _cut(
    parts: Iterable[Part], is_end: Callable[[Part], bool], name: Callable[[Part], str]
) -> list[list[Part]]:
    """Cut a list behind each end that stands in no brackets."""
    found, depth = [[]], 0
    for part in parts:
        found[-1].append(part)
        depth += (name(part) in _OPEN) - (name(part) in _CLOSE)
        # A sign that nothing stands before, such as that of -x, is no end.
        if depth == 0 and is_end(part) and any(map(_says, map(name, found[-1][:-1]))):
            found.append([])
    return [part for part in found if part]


def _says(word: str) -> bool:
    """Return whether a part of a formula is seen."""
    return bool(word.strip())


def _is_space(part: HtmlElement) -> bool:
    return part.tag == "mspace" and part.get("width") in _SPACES


def _name(part: HtmlElement) -> str:
    return "".join(part.itertext())


def _bracket(part: HtmlElement) -> str:
    """Return what may be a bracket: one with an exponent carries that."""
    return _name(part[0] if part.tag in {"msup", "msub", "msubsup"} else part)
