"""The chapter on cost and scale: its figures, experiments and answers."""
