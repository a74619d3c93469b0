"""Waiting for a condition. No case sleeps and hopes."""
import time

# Generous: a busy machine is slow, and says nothing about the table.
LIMIT = 20


def until(condition, what, limit=LIMIT):
    """What the condition is, as soon as it is something."""
    end = time.monotonic() + limit
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit} s: {what}")
        time.sleep(0.02)
