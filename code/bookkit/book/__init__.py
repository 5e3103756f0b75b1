"""The book as files: what it holds, and how it is read and written."""
