"""What an app tells the server that runs it, by names in its `config`."""

BODY_LIMITS = "SEEDLOG_BODY_LIMITS"
"""The largest body by path, in bytes; "" is that of any other path."""

ORIGIN_HEADERS = "SEEDLOG_ORIGIN_HEADERS"
"""What returns the headers for pages of an origin, at a host, where no app answers."""

BEHIND_PROXY = "SEEDLOG_BEHIND_PROXY"
"""Whether all clients share the address of a proxy."""
