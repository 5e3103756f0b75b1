"""The chapter on the model zoo: its figures, experiments and answers."""
