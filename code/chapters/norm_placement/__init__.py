"""The chapter on the placement of norms: its figures, experiments and answers."""
