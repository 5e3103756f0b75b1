"""The chapter on residual connections: its figures, experiments and answers."""
