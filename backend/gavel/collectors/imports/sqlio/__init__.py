"""Results of sqlio: the text that it prints, with whole milliseconds."""
