"""The evaluation of the UpGrade agent's work on experiments: cases, conversations, scoring, report."""
