"""Results of Iometer: the CSV that it records."""
