"""All that is kept of tenants."""

from services.tenants.given_limits import GivenLimits
from services.tenants.keys import Keys
from services.tenants.origins import Origins


class Tenants(Keys):
    """The keys of all tenants, with the ``limits`` and ``origins`` of each."""

    def __init__(self, redis_url: str) -> None:
        """Keep them beside the event log."""
        super().__init__(redis_url)
        self.limits = GivenLimits(redis_url, self)
        self.origins = Origins(redis_url, self)
