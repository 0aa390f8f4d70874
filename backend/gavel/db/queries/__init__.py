"""What is asked: one module per subject, rows beside their query."""
