"""Chapter "Without softmax": figures, measurements and the checks of its exercises."""
