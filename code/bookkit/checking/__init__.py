"""What can go red: rules, comparisons, canary, other environments, mutants."""
