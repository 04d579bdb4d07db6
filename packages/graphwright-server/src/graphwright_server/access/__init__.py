"""Access control of the service: authentication, ownership, rate limits, and the audit of approvals."""
