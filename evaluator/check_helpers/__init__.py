"""Copied beside the check scripts of a run; nothing here runs in the evaluator."""
