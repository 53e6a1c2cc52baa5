"""What users see of contacts, rows, islands, tendons and forces of bodies."""
