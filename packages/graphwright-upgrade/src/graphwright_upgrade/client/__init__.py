"""An async client for UpGrade servers: the calls, their results, and how to sign in."""
