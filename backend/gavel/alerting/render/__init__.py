"""What a message says and shows: text, pictures, forms of receivers. Pure."""
