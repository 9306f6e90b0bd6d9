"""Read models, folded from the feed and rebuilt from the streams at will."""

from services.views.folding import PoisonEvent
from services.views.generations import View
from services.views.lease import LeaseLost, RebuildRuns
from services.views.match_list import InvalidCursor, MatchList, Page
from services.views.projector import Projector, run_projectors
from services.views.tenant_feed import FeedNotThere, FeedTrimmed, Place, TenantFeed

__all__ = [
    "FeedNotThere",
    "FeedTrimmed",
    "InvalidCursor",
    "LeaseLost",
    "MatchList",
    "Page",
    "Place",
    "PoisonEvent",
    "Projector",
    "RebuildRuns",
    "TenantFeed",
    "View",
    "run_projectors",
]
