"""One async client for UpGrade servers: what is called, what comes back, and how to sign in."""
