"""Celery: when work starts and where it runs. What the work is lives in the stages."""
