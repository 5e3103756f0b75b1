"""The chapter on ablations: its figures, experiments and answers."""
