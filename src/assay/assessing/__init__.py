"""From pool to judgments: studies, strokes, the server and the page on which people judge."""
