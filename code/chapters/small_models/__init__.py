"""The page on what small models can tell: its figure."""
