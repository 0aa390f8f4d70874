"""What crosses the API: pydantic models, units in the names. Output models have no defaults, so a missing number is an explicit null."""
