"""The local UpGrade service: the REST contract of a real server on SQLite, so that nobody needs a deployment to try."""
