"""Files, frames and objects -> tables: what a format is, how files are recognised, and reading itself."""
