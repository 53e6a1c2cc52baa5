"""Meshes, height fields and textures, from files and from attributes."""
