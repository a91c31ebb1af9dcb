// Walks in which something is decided.
