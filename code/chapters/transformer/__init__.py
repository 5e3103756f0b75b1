"""The chapter on the whole Transformer: its figures, experiments and answers."""
