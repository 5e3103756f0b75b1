"""Open notebooks as Colab would: alone, in a clean environment, from top to bottom."""
