"""The store, which keeps the logs of rooms. It knows neither the games nor the connections."""
