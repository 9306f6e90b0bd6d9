"""Read models, folded from the feed and rebuilt from the streams at will."""

from services.views.folding import PoisonEvent
from services.views.generations import Overtaken, View
from services.views.lease import LeaseLost, RebuildRuns
from services.views.list_cursor import InvalidCursor
from services.views.match_list import MatchList, Page
from services.views.places import MatchPlaces
from services.views.projector import Projector, run_projectors
from services.views.ratings import Ratings
from services.views.results import Pool
from services.views.standings import Played, Standing
from services.views.tenant_feed import FeedTrimmed, NoSuchEntry, Place, TenantFeed

__all__ = [
    "FeedTrimmed",
    "InvalidCursor",
    "LeaseLost",
    "MatchList",
    "MatchPlaces",
    "NoSuchEntry",
    "Overtaken",
    "Page",
    "Place",
    "Played",
    "PoisonEvent",
    "Pool",
    "Projector",
    "Ratings",
    "RebuildRuns",
    "Standing",
    "TenantFeed",
    "View",
    "run_projectors",
]
