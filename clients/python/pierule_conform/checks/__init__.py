"""The checks of `pierule conform server`, and the raw peer that they use."""
