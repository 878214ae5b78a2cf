"""Reading and writing bytes: opening, compression, standard input, and work on several cores."""
