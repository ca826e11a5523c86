"""Hypothesis for these tests: a machine that others use as well must not fail an example."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
