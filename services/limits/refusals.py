"""What is said when a rate is exceeded."""

from services.languages import Explained, Message
from services.limits.policies import Policy


class RateExceeded(Explained):
    """Somebody has asked as often as a policy allows."""

    def __init__(self, policy: Policy, retry_after_s: int) -> None:
        """Keep the policy, and in how many seconds the next request is allowed."""
        super().__init__(
            Message(
                "{quota} {things} are allowed in {window} s; come back in {wait} s",
                quota=policy.quota,
                things=policy.counted,
                window=policy.window_s,
                wait=retry_after_s,
            )
        )
        self.policy = policy
        self.retry_after_s = retry_after_s


class TooManyGuests(RateExceeded):
    """The page has opened too many matches, for one address or in total."""
