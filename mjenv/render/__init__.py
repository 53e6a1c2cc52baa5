"""Pictures of worlds, drawn by a ray caster of its own."""
