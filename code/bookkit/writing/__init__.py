"""What rewrites a notebook: run, normalize, draw, bootstrap, references."""
