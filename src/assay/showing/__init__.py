"""Tables for people to read and paste."""
