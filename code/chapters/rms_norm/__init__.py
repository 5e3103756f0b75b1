"""The chapter on RMSNorm: its figures, experiments and answers."""
