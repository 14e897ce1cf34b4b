"""The deterministic engine: files become evidence, questions become routed, grounded answers."""
