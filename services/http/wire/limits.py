"""What an app tells the server that runs it, by names in its `config`."""

BODY_LIMITS = "SEEDLOG_BODY_LIMITS"
"""The largest body by path, in bytes; "" is that of any other path."""

BEHIND_PROXY = "SEEDLOG_BEHIND_PROXY"
"""Whether all clients share the address of a proxy."""
