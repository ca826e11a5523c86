"""Taugo."""
