"""How well the UpGrade agent does what users ask of experiments: cases, conversations, scoring, report."""
