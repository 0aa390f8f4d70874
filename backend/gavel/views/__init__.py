"""What one card of a page shows."""
