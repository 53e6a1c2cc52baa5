"""Errors of documents in MuJoCo's words, which programs look for."""
