"""How a message leaves: requests with deadlines, outcomes, rates."""
