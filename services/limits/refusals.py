"""What is said when a rate is exceeded."""

from services.languages import Explained
from services.limits.policies import Policy


class RateExceeded(Explained):
    """Somebody has asked as often as a policy allows."""

    def __init__(self, policy: Policy, retry_after_s: int) -> None:
        """Keep the policy, and in how many seconds the next request is allowed."""
        facts = {"count": policy.quota, "window": policy.window_s}
        super().__init__(policy.say(**facts, wait=retry_after_s))
        self.policy = policy
        self.retry_after_s = retry_after_s


class TooManyGuests(RateExceeded):
    """The page has opened too many matches, for one address or in total."""
