"""What every refusal is that may be told to people."""

from rules_core.messages import Message


class Explained(Exception):
    """Says by a message, which can be told in any language, what is wrong."""

    def __init__(self, message: Message) -> None:
        """Keep the message; `str` of the exception, and so its log, is English."""
        super().__init__(message)
        self.message = message
