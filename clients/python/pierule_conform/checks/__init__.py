"""The checks of `pierule conform server`, and the raw peer they stand on."""
