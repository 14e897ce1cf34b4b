"""The plugin door: hook specifications, the manager and the built-ins that come through the same door."""
