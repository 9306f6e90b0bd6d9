"""Read models, folded from the feed and rebuilt from the streams at will."""

from services.views.match_list import InvalidCursor, MatchList, Page
from services.views.projector import PoisonEvent, Projector

__all__ = ["InvalidCursor", "MatchList", "Page", "PoisonEvent", "Projector"]
