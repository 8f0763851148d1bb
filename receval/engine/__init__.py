"""From tables in memory to values: blocks of users, worked on in threads."""
