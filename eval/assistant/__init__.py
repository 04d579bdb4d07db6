"""The evaluation of researched answers: questions with sources and facts, corpora, judging, a plain loop."""
