"""The tables that all of Assay uses: columns of ids, runs, judgments, and span arithmetic."""
