"""New tables out of tables: other formats, relevance of elements, the recall-base and the ideal run."""
