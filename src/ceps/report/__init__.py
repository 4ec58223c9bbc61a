"""One self-contained HTML page about a run directory: a build, a comparison or an evaluation."""
