"""Run folders: what a training, an evaluation or a search leaves behind, and how it is read."""
