"""What is said when a rate is exceeded."""

from services.limits.policies import Policy


class RateExceeded(Exception):
    """Somebody has asked as often as a policy allows."""

    def __init__(self, policy: Policy, retry_after_s: int) -> None:
        """Keep the policy, and in how many seconds the next request is allowed."""
        super().__init__(
            f"{policy.quota} {policy.counted} in {policy.window_s} s are allowed "
            f"{policy.whose}; come back in {retry_after_s} s"
        )
        self.policy = policy
        self.retry_after_s = retry_after_s


class TooManyGuests(RateExceeded):
    """The page has opened too many matches, for one address or in total."""
