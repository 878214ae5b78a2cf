"""Make new tables from tables: other formats, the relevance of elements, the recall-base and the ideal run."""
