"""Why an analysis cannot be had."""

from services.languages import Explained, Message


class NoSuchAnalysis(Explained):
    """There is no analysis of that id for whoever asks, or not any more."""

    def __init__(self, analysis_id: str) -> None:
        """Keep the id."""
        super().__init__(
            Message(
                "there is no analysis {analysis!r}: one is kept for a day; ask again",
                analysis=analysis_id,
            )
        )
        self.analysis_id = analysis_id


class AnalysisOver(Explained):
    """There is nothing to think about: the game is over in that position."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__(
            Message("the game is over in this position; analyse one before it")
        )


class TooManyAnalyses(Explained):
    """As many analyses have not ended as may be thought about at a time."""

    def __init__(self, limit: int, used: int, *, of_token: bool = False) -> None:
        """Keep how many may be, and are: of the tenant, or of the tokens of a match."""
        things = Message("analyses that have not ended")
        facts = {"limit": limit, "things": things, "used": used}
        super().__init__(
            Message(
                "the tokens of a match may have {limit} {things}, and have {used}",
                **facts,
            )
            if of_token
            else Message("a tenant may have {limit} {things}, and has {used}", **facts)
        )
        self.quota, self.limit, self.used = "open_analyses", limit, used
