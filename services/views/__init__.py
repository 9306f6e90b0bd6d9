"""Read models, folded from the feed and rebuilt from the streams at will."""

from services.views.folding import PoisonEvent
from services.views.generations import View
from services.views.lease import LeaseLost, RebuildRuns
from services.views.match_list import InvalidCursor, MatchList, Page
from services.views.places import MatchPlaces
from services.views.projector import Projector, run_projectors
from services.views.tenant_feed import FeedTrimmed, NoSuchEntry, Place, TenantFeed

__all__ = [
    "FeedTrimmed",
    "InvalidCursor",
    "LeaseLost",
    "MatchList",
    "MatchPlaces",
    "NoSuchEntry",
    "Page",
    "Place",
    "PoisonEvent",
    "Projector",
    "RebuildRuns",
    "TenantFeed",
    "View",
    "run_projectors",
]
