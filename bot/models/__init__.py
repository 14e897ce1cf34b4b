"""Getting models, running their servers, talking to them."""
