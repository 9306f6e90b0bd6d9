"""HTTP as both servers speak it: reading requests off the wire, and problems."""
