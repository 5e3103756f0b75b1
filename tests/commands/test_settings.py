"""The settings of a training: each field is a flag, and a line of a file."""

import json
from dataclasses import replace

from bookkit.checking.facts import facts
from transformer.commands import settings
from transformer.commands.flags import SettingsError
from transformer.commands.settings import Settings, read_settings
from transformer.config import CHOICES
from transformer.data import CORPORA, TASKS, TOKENIZERS
from transformer.training import (
    PRECISIONS,
    constant_schedule,
    cosine_schedule,
    noam_schedule,
)


def test_they_survive_a_file(tmp_path):
    settings = Settings(task="reversal", patience=3, dropout=0.1)
    (tmp_path / "settings.json").write_text(settings.to_json())
    assert read_settings(tmp_path / "settings.json") == settings


def test_the_names_that_are_written_out_are_those_of_the_rooms():
    positions = {*CHOICES["position"]} - {"learned"}
    assert tuple(TASKS) == settings.TASKS
    assert tuple(CORPORA) == settings.CORPORA
    assert tuple(TOKENIZERS) == settings.TOKENIZERS
    assert tuple(PRECISIONS) == settings.PRECISIONS
    assert CHOICES["norm_placement"] == settings.NORM_PLACEMENTS
    assert {*settings.POSITIONS} == positions


def test_the_model_is_as_said():
    settings = Settings(
        layers=3,
        d_model=24,
        d_ff=48,
        heads=2,
        position="rotary",
        max_length=9,
        dropout=0.3,
    )
    config = settings.model_config(vocab_size=17)
    assert (config.num_encoder_layers, config.num_decoder_layers) == (3, 3)
    assert (config.d_model, config.d_ff, config.num_heads) == (24, 48, 2)
    assert (config.vocab_size, config.max_len, config.pad_id) == (17, 11, 0)
    assert (config.position, config.dropout) == ("rotary", 0.3)
    assert config.final_norm
    assert not replace(settings, norm_placement="post").model_config(9).final_norm


def test_the_learning_rate_follows_the_schedule():
    settings = Settings(learning_rate=0.3, warmup=5, steps=20)
    options = {"peak": 0.3, "warmup": 5}
    for step in range(1, 21):
        rates = {
            "cosine": cosine_schedule(step, steps=20, **options),
            "constant": constant_schedule(step, **options),
            "noam": noam_schedule(step, d_model=64, warmup=5),
        }
        for schedule, rate in rates.items():
            assert replace(settings, schedule=schedule).learning_rate_at(step) == rate


@facts(
    "settings, name",
    [
        (Settings(), "numbers"),
        (Settings(task="reversal"), "reversal"),
        (Settings(corpus="tatoeba-en-fr"), "tatoeba-en-fr"),
        (Settings(pairs="texts/mine.tsv"), "mine"),
    ],
)
def test_a_training_is_named_after_its_text(settings, name):
    assert settings.name == name


def test_differences_are_named_as_flags_and_a_usual_warmup_is_not():
    assert Settings(d_ff=9, seed=3).differences(Settings()) == [
        "--d-ff 9 instead of 256",
        "--seed 3 instead of 0",
    ]
    short, long = (Settings(steps=n, warmup=n // 4) for n in (8, 16))
    assert short.differences(long) == ["--steps 8 instead of 16"]
    said = Settings(steps=8, warmup=3).differences(long)
    assert said == ["--steps 8 instead of 16", "--warmup 3 instead of 4"]


@facts(
    "said, warmup",
    [
        ({}, 50),
        ({"steps": 7}, 1),
        ({"steps": 4, "warmup": 2}, 2),
        ({"steps": 4, "schedule": "constant"}, 50),
    ],
)
def test_a_short_training_warms_up_for_a_quarter(said, warmup):
    assert Settings.of(said).warmup == warmup


@facts(
    "steps, warmup, extended",
    [
        (600, 25, True),  # the warm-up of the earlier steps, said again
        (600, 50, True),  # that of the steps now, where none is said
        (600, 30, False),
        (100, 25, False),  # the same training
        (80, 20, False),
    ],
)
def test_more_steps_extend_with_either_usual_warmup(steps, warmup, extended):
    settings = Settings(steps=steps, warmup=warmup)
    assert settings.extends(Settings(steps=100, warmup=25)) == extended
    assert not replace(settings, seed=1).extends(Settings(steps=100, warmup=25))


@facts("warmup, extended", [(10, True), (50, False)])
def test_a_warmup_of_ones_own_stays(warmup, extended):
    settings = Settings(steps=600, warmup=warmup)
    assert settings.extends(Settings(steps=100, warmup=10)) == extended


@facts(
    "said, words",
    [
        ({"corpus": "tatoeba-en-fr", "pairs": "a"}, ["got --corpus and --pairs"]),
        ({"warmup": 600}, ["warmup", "got 600", "shorten"]),
        ({"schedule": "noam", "warmup": 0}, ["warmup", "at least 1", "got 0"]),
        ({"seed": 2**63}, ["--seed", "got one of 64 bits", "smaller"]),
        (
            {"patience": 3, "validate_every": 0},
            ["--patience", "got --validate-every 0"],
        ),
        ({"patience": 3, "validate_every": 601}, ["--patience", "601 in 600 steps"]),
        ({"tokenizer": "subwords", "vocab_size": 9}, ["--vocab-size", "260", "got 9"]),
        ({"d_model": 30}, ["--heads", "--d-model=30"]),
        ({"dropout": 1.0}, ["--dropout", "below 1", "got 1.0"]),
        ({"learning_rate": 0.0}, ["--learning-rate", "above 0", "got 0"]),
        ({"learning_rate": 10**400}, ["--learning-rate", "got one of 1329 bits"]),
        ({"batch_size": 0}, ["--batch-size", "at least 1", "got 0"]),
        ({"d_ff": 2**63}, ["--d-ff", "got one of 64 bits", "smaller"]),
        ({"task": "poems"}, ["--task", "got 'poems'"]),
        ({"steps": "many"}, ["--steps", "got 'many'"]),
        ({"pairs": 3}, ["--pairs", "got 3"]),
    ],
)
def test_settings_that_do_not_fit_are_refused(refuses, said, words):
    refuses(lambda: Settings(**said), SettingsError, *words)


@facts(
    "said, words",
    [
        ({"task": "numbers", "pairs": "a"}, ["got --task and --pairs; leave one"]),
        ({"corpus": "x", "task": "reversal"}, ["got --task and --corpus; leave one"]),
        ({"vocab_size": 300}, ["--vocab-size", "got --tokenizer words", "add it"]),
    ],
)
def test_flags_without_effect_are_refused(refuses, said, words):
    refuses(lambda: Settings.of(said), SettingsError, *words)


SAVED = json.loads(Settings().to_json())


@facts(
    "text, words",
    [
        (None, ["No such file"]),
        ("{", ["Expecting property name"]),
        ("[1]", [r"this version in \[1\]"]),
        ("null", ["this version in None"]),
        ('{"steps": 3}', ["this version in", "accumulate"]),
        (json.dumps({**SAVED, "wings": 1}), [r"in \['wings'\]"]),
        (json.dumps({**SAVED, "seed": -1}), ["--seed", "got -1"]),
        (json.dumps({**SAVED, "task": None}), ["--task", "got None"]),
    ],
)
def test_a_file_of_something_else_is_refused(refuses, tmp_path, text, words):
    path = tmp_path / "settings.json"
    if text is not None:
        path.write_text(text)
    call = lambda: read_settings(path)  # noqa: E731
    refuses(
        call, SettingsError, f"{path} must hold the settings", *words, "train again"
    )
