"""What people who run Gavel change: sources, channels, access; how sources are doing, and keeping the store in shape."""
