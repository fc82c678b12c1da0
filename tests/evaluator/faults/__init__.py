"""Workers, brokers and databases killed in the middle, for real, each in a process."""
