"""Running an estimate for a bounded time, and what it tells."""
