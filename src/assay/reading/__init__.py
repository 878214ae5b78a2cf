"""Read files, frames and objects into tables: the formats, how files are recognised, and the reading itself."""
