"""Offline environments: files of a site, without its vCenter and array, as an environment of their own to look at."""
