"""Documents as elements: what is put together, edited and written."""
