"""Tables: which stages run, in which order, under which conditions, and what they write."""
