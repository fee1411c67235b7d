"""Tests of the built-in model."""
