"""What words mean here: names, places, numbers, verbs and moods in what a user says, and names in sentences."""
