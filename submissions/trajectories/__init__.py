"""Trajectories shown step by step, with the places that signals speak of."""
