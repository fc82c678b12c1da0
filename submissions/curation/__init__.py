"""What curators see and do: tasks, their proofs, and the life of a snapshot."""
