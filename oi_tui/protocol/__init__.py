"""Plain data that every floor above speaks: messages, events, calls, deltas, the bus."""
