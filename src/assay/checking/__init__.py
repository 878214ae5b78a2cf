"""Check files: find every fault of a run or of judgments, summarise them, and audit a test set."""
