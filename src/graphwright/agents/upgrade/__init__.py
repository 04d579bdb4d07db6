"""The UpGrade agent: experiments on an UpGrade server, and a local service that stands in for one."""
