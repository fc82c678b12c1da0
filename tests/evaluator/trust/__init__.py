"""Trust: what submitted code may not see, forge, replay, exhaust or carry out."""
