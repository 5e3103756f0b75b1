"""What turns the package `transformer` into a book: figures, checks, notebooks."""
