"""The chapter on checks of a fresh model: its figures, experiments and answers."""
