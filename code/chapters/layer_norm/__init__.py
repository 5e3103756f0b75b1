"""The chapter on layer normalization: its figures, experiments and answers."""
