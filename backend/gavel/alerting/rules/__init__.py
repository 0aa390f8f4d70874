"""What a rule says, in and out of YAML."""
