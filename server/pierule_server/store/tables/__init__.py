"""The tables that the store keeps beside the logs of rooms, one module for each."""
