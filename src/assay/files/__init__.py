"""Where bytes come from and go to: opening, compression, standard input, work shared by the cores."""
