"""The commands of `mjenv`, a file for each subject."""
