"""What several chapters measure with: small models trained in seconds, from seeds.

They run in float64 on the CPU's random numbers, so that the printed digits do not
depend on the processor.
"""
