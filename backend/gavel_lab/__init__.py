"""A simulated FlashArray and vCenter on their real protocols, driven by one queueing model.

Shares nothing with `gavel` but the wire.
"""
