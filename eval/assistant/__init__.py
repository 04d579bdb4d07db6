"""How often researched answers are right: questions with sources and facts, corpora, judging, a plain loop."""
