"""The handlers of requests: one for each type, one file for each family of types."""
