"""Hand what an error means over to the engines that already run people's jobs: Celery and Temporal.

Each engine waits and tries again by itself; from here it learns which errors deserve that, how long to
wait at least, and the key under which every try of a job is one call to the provider.
"""
