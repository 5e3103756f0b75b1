"""The chapter on convention traps: its figures, experiments and answers."""
