"""Open notebooks as Colab would: alone, in a clean environment, from top to bottom."""

from bookkit.colab.environment import Environment, layered, new_environment
from bookkit.colab.repository import serve_repository
from bookkit.colab.session import Opened, open_notebook

__all__ = [
    "Environment",
    "Opened",
    "layered",
    "new_environment",
    "open_notebook",
    "serve_repository",
]
