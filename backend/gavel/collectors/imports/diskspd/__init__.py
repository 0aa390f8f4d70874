"""Results of diskspd: XML (-Rxml) or its text."""
