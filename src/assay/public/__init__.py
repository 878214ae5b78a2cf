"""What a user calls, and gets: evaluate, chart, and Scores, of which further questions are asked."""
