"""The evaluation of answers over data: questions with expected values, files, judging, a plain loop."""
