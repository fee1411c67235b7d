"""Sessions: one conversation, its turns, approvals, budget and file."""
