"""The chapter on activation functions: its figures, experiments and answers."""
