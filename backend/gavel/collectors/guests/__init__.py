"""What pushes the disk counters of guests, one package per agent. Pure: a request's body becomes readings."""
