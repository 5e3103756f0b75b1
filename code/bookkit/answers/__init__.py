"""The properties that answers to the exercises must have, a module a chapter."""
