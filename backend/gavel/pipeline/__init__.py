"""The use-cases, one module each: where I/O meets maths and one transaction holds what belongs together."""
