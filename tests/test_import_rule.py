"""The reading order of the package is its import order."""

import ast
from pathlib import Path

import pytest

CODE = Path(__file__).parents[1] / "code"

# A module imports only from a lower stratum, or from a module above it in its room.
STRATA = [
    [
        "packages",
        "checks.values",
        "checks.tensors",
        "checks.attention",
        "checks.decoder",
        "checks",
        "config",
    ],
    [
        "layers.activations",
        "layers.norms",
        "layers.projections",
        "layers.embeddings",
        "layers.positional",
        "layers.rotary_scaling",
        "layers.rotation",
        "layers.rotary",
        "layers.distances",
        "layers.relative",
        "layers.alibi",
        "layers.masks",
        "layers.cache",
        "layers.decoder_cache",
        "layers.attention",
        "layers.multi_head_attention",
        "layers.feed_forward",
        "layers.conv_feed_forward",
        "layers.mixture_of_experts",
        "layers.residual",
        "layers",
    ],
    [
        "blocks.parts",
        "blocks.inputs",
        "blocks.encoder",
        "blocks.decoder_layer",
        "blocks.decoder",
        "blocks",
    ],
    [
        "models.parameters",
        "models.budget",
        "models.costs",
        "models.memory",
        "models.heads",
        "models.seq2seq",
        "models.encoder_only",
        "models.decoder_only",
        "models.modes",
        "models.attention_maps",
        "models",
    ],
    [
        "data.errors",
        "data.tokenizer",
        "data.pieces",
        "data.vocabularies",
        "data.subwords",
        "data.tokenizers",
        "data.numerals",
        "data.pairs",
        "data.tasks",
        "data.examples",
        "data.batches",
        "data.batching",
        "data.read_report",
        "data.parallel_text",
        "data.checksums",
        "data.download",
        "data.archives",
        "data.corpora",
        "data",
    ],
    [
        "training.loss",
        "training.schedules",
        "training.optimizers",
        "training.log",
        "training.world",
        "training.trainer",
        "training.evaluation",
        "training.checkpoints",
        "training.snapshots",
        "training.callbacks",
        "training.loop",
        "training",
        "decoding.doors",
        "decoding.continuation",
        "decoding.generation",
        "decoding.greedy",
        "decoding.filters",
        "decoding.shaping",
        "decoding.sampling",
        "decoding.beams",
        "decoding.beam",
        "decoding.correction",
        "decoding.speculative",
        "decoding",
        "zoo.layout",
        "zoo.loading",
        "zoo.fields",
        "zoo.family",
        "zoo.original",
        "zoo.bert",
        "zoo.gpt2",
        "zoo.t5",
        "zoo.llama",
        "zoo.gpt_neox",
        "zoo.families",
        "zoo.hub",
        "zoo",
    ],
    [
        "commands.metrics",
        "commands.settings",
        "commands.runs",
        "commands.translation",
        "commands.scores",
        "commands.attention_figure",
        "commands.training_run",
        "commands.flags",
        "commands.train_command",
        "commands.translate_command",
        "commands.evaluate_command",
        "commands.main",
        "commands",
        "__main__",
    ],
]
STRANGERS = {"training", "decoding", "zoo"}  # rooms that do not import one another
CONFIG_READERS = {"blocks", "models", "training", "decoding", "zoo", "commands"}


def place(module):
    """Return (stratum, order in it) of a module, named without `transformer.`."""
    for stratum, names in enumerate(STRATA):
        for order, name in enumerate(names):
            if module == name:
                return stratum, order
    raise AssertionError(f"{module} has no place in the reading order; give it one")


def imported_modules(source):
    """Yield the full name of each module that a file imports."""
    known = {f"transformer.{name}" for names in STRATA for name in names}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            parts = {f"{module}.{alias.name}" for alias in node.names} & known
            yield from sorted(parts) or [module]


def offenses(module, source):
    """List how the imports of `module` break the rule."""
    found = []
    here = place(module)
    for name in imported_modules(source):
        root, _, rest = name.partition(".")
        if name.startswith("."):
            found.append(f"{module} imports relatively: {name}")
        elif root == "bookkit":
            found.append(f"{module} imports the book's tools: {name}")
        elif root == "transformer" and rest:
            there = place(rest)
            room, other = module.partition(".")[0], rest.partition(".")[0]
            strangers = room != other and {room, other} <= STRANGERS
            if there >= here or strangers:
                found.append(f"{module} imports {rest}, which stands after it")
            if rest == "config" and room not in CONFIG_READERS:
                found.append(f"{module} is a leaf and must not see the config")
    return found


def package_modules():
    modules = []
    for path in sorted((CODE / "transformer").rglob("*.py")):
        parts = path.relative_to(CODE / "transformer").with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        if name:
            modules.append(pytest.param(name, path, id=name))
    return modules


@pytest.mark.parametrize(("module", "path"), package_modules())
def test_each_module_imports_only_what_stands_above_it(module, path):
    assert offenses(module, path.read_text(encoding="utf-8")) == []


def test_the_package_root_imports_nothing():
    source = (CODE / "transformer" / "__init__.py").read_text(encoding="utf-8")
    assert list(imported_modules(source)) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("layers.masks", "from transformer.layers.attention import split_heads"),
        ("layers.masks", "import transformer.layers.attention"),
        ("layers.masks", "from transformer.layers import causal_mask"),
        ("layers.attention", "from transformer.config import TransformerConfig"),
        ("layers.attention", "from transformer.blocks.encoder import Encoder"),
        ("layers.attention", "from .masks import causal_mask"),
        ("training.loop", "from transformer.zoo.bert import load"),
        ("zoo.bert", "from transformer.training.loss import LabelSmoothingLoss"),
        ("data.pairs", "from transformer.training import train"),
        ("training.loop", "from transformer.commands.settings import Settings"),
        ("layers.attention", "from chapters.start import use_book_style"),
    ],
)
def test_a_forbidden_import_is_caught(module, source):
    assert len(offenses(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("layers.attention", "from transformer.layers.masks import causal_mask"),
        ("layers.masks", "from transformer.checks.values import check_size"),
        ("blocks.encoder", "from transformer.config import TransformerConfig"),
        ("models.seq2seq", "from transformer.layers import TokenEmbedding"),
        ("training.loop", "from transformer.training.loss import LabelSmoothingLoss"),
        ("layers.attention", "import torch"),
    ],
)
def test_an_allowed_import_passes(module, source):
    assert offenses(module, source) == []


def test_a_module_without_a_place_is_caught():
    with pytest.raises(AssertionError, match=r"layers\.magic has no place"):
        place("layers.magic")
