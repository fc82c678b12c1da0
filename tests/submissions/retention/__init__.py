"""Tests of what is swept and, above all, of what is not."""
