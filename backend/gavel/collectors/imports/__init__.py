"""Files that people bring: captures and results, read without a source to ask."""
