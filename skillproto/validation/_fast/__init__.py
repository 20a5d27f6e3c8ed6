"""Proofs of validity, one module for each shipped schema. Written by generate.py from the schema; do not edit."""
