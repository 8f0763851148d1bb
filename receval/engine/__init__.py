"""Compute the values of measures from tables: block by block of users, in several threads."""
