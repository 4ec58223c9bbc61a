"""Side-by-side timings. Nothing here is a test."""
