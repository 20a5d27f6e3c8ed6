"""Calling a skill: requests, replies, retries, credentials.

`core` decides and does no input or output; `client` carries out what it decides; `replies`
turns what came back into an outcome. Import the public names from `skillproto` itself.
"""
