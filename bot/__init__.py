"""The application around the engine: configuration, wiring, chat vocabulary, model servers, plugins, command line."""
