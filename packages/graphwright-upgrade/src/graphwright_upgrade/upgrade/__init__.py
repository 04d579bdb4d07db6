"""The UpGrade agent: experiments on an UpGrade server, or on a local service that behaves like one."""
