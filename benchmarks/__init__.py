"""Measurements against peers, as ratios within one run. Start one with `python -m benchmarks.NAME`."""
