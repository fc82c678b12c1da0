"""Benchmarks that rank by pass rate, with the completion rate beside it.

Nothing here reads or writes what the tables by Task Completion are made of, and those
refuse a snapshot of such a benchmark.
"""
