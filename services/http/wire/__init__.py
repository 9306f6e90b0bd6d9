"""HTTP on the wire: where a request begins and ends, and the server of the API."""
