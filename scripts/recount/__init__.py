"""What scripts/recount-answers counts by itself, and how it asks footfall. It shares no code with footfall."""
