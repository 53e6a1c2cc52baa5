"""Plans and programs: what runs the stages, over packs and threads."""
