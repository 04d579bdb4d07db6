"""What the user is told: confirmations, lists, replies, reports and pictures."""
