"""vCenter: what a client asks, what its answers mean, and when what is asked."""
