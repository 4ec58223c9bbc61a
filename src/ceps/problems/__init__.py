"""Problem classes."""
