"""The chapter on training: its figures, experiments and answers."""
