"""Who may see an analysis: what API and streams share of them."""

from typing import Any

from services.analysis import HINT, POSITION, Analysis, NoSuchAnalysis
from services.analysis.showing import analysis_json
from services.http.authentication import App, Caller, SeatHolder
from services.http.authorization import visible_match
from services.http.context import services
from services.match.refusals import NoSuchMatch


def visible_analysis(who: Caller, analysis_id: str) -> Analysis:
    """Return an analysis as it is now.

    Whoever holds a token sees those of its match, and the hints of its seat alone.

    :raises NoSuchAnalysis: there is none for whoever asks.
    :raises Unauthenticated: the token was revoked.
    """
    if not isinstance(who, App):  # a token that was replaced is none
        try:
            visible_match(who, who.claim.match_id)
        except NoSuchMatch:
            raise NoSuchAnalysis(analysis_id) from None
    analysis = services().analyses.read(analysis_id)
    if not _may_see(who, analysis):
        raise NoSuchAnalysis(analysis_id)
    return analysis


def _may_see(who: Caller, analysis: Analysis) -> bool:
    asked = analysis.question
    if isinstance(who, App):
        return analysis.tenant == who.tenant
    if asked.kind == POSITION or asked.match != who.claim.match_id:
        return False
    if asked.kind == HINT:
        return isinstance(who, SeatHolder) and who.claim.seat == asked.seat
    return True


def whole_analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis with all that was found of it up to its version."""
    found = services().analyses.events(analysis.id, 0, analysis.version or None)
    return analysis_json(analysis, found[: analysis.version])
