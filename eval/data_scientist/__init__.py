"""How often answers over data are right: questions with the values they must come to, files, judging, a plain loop."""
