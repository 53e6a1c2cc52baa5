"""Trees that sleep, fall asleep and wake."""
