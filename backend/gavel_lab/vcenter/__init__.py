"""A vCenter over TLS, as far as storage latency needs one: pyVmomi, govc and Telegraf work with it unchanged."""
