"""What code works with is found: names, modules, methods, tools of the book."""

import ast
from pathlib import Path

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.maps.atlas import read_atlas
from bookkit.publishing.maps.chapters import reached, used
from bookkit.publishing.maps.package import bindings
from bookkit.publishing.maps.page import named_works

ATLAS = read_atlas(find_root(Path(__file__)))
PACKAGE = ATLAS.package
NORM = "transformer.layers.norms:RMSNorm"


@facts(
    "code",
    [
        "from transformer.layers import RMSNorm\nRMSNorm(3)",
        "from transformer.layers.norms import RMSNorm as Norm\nNorm(3)",
        "from transformer.layers import norms\nnorms.RMSNorm(3)",
        "import transformer.layers\ntransformer.layers.RMSNorm(3)",
        "import transformer.layers as layers\nlayers.RMSNorm(3)",
    ],
)
def test_an_object_is_known_by_every_name(code):
    tree = ast.parse(code)
    assert used(tree, PACKAGE, bindings(tree)) == {NORM}


def test_a_method_counts_for_its_class_too():
    tree = ast.parse("from transformer.layers import KVCache\nKVCache.update")
    cache = "transformer.layers.cache:KVCache"
    assert used(tree, PACKAGE, bindings(tree)) == {cache, f"{cache}.update"}


def test_what_is_imported_and_not_named_is_not_used():
    tree = ast.parse("from transformer.layers import RMSNorm")
    assert used(tree, PACKAGE, bindings(tree)) == set()


def test_a_tool_of_the_book_works_with_what_its_functions_name():
    tool = "chapters.decoding.continuations:speculate"
    functions = [a for a in PACKAGE.things if a.startswith(tool.partition(":")[0])]
    found = {address for name in functions for address in reached(name, PACKAGE)}
    assert "transformer.decoding.speculative:speculative_sample" in found
    assert reached(NORM, PACKAGE) == {NORM}


def test_a_chapter_is_found_where_it_draws_an_object():
    places = ATLAS.places[NORM]
    assert [(p.page, p.anchor) for p in places if p.drawn] == [
        ("normalization/rms_norm", "deeper-the-code-of-the-package")
    ]


def test_a_chapter_is_found_where_it_cites_a_work():
    pages = [place.page for place in ATLAS.citations["zhang2019"]]
    assert "normalization/rms_norm" in pages
    assert len(pages) == len(set(pages))


@facts(
    "text, works",
    [
        ("Vaswani et al. (2017), section 3.1", ["vaswani2017"]),
        ("the code of T5 (Raffel et al., 2020)", ["raffel2020"]),
        ("Glorot and Bengio (2010); He et al. (2016)", ["glorot2010", "he2016"]),
        ("Peng et al. (2023), definition 1", ["peng2024"]),
        ('Touvron et al. (2023, "LLaMA")', ["touvron2023"]),
        ("ours; counted in 2017", []),
    ],
)
def test_works_are_read_by_author_and_year(text, works):
    assert named_works(text) == works


def test_a_module_that_its_package_binds_is_no_object():
    assert PACKAGE.resolve("chapters.rotary.explorer") is None
    assert PACKAGE.resolve("chapters.rotary.explorer.show")
