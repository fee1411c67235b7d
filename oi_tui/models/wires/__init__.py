"""Wire formats: one module each, over httpx; what they share (events, retries, errors, connection) is beside them."""
