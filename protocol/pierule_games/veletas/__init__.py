"""Veletas."""
