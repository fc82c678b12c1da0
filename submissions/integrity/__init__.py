"""Deterministic checks for signs of cheating in trajectories and patches."""
