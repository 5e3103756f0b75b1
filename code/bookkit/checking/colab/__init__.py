"""Open notebooks as Colab would: alone, in a clean environment, from top to bottom."""

from bookkit.checking.colab.environment import Environment, layered
from bookkit.checking.colab.repository import serve_repository
from bookkit.checking.colab.session import open_notebook

__all__ = [
    "Environment",
    "layered",
    "open_notebook",
    "serve_repository",
]
