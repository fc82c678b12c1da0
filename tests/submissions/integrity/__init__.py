"""Tests of the integrity signals."""
