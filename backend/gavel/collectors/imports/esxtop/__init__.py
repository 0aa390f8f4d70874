"""esxtop batch captures (`esxtop -b`): one host, every few seconds, with microseconds on every vSphere version."""
