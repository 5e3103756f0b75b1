"""Checks at the doors: what must hold, what came, what to do."""
