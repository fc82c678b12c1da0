"""What this machine has and lacks as a worker, and a first try of all of it."""
