"""Gymnasium's environments: single and vector ones, their registration and look-up."""
