"""Trajectories step by step."""
