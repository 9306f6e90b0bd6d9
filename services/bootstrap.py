"""The single place where the parts are wired together, for every process."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from rules_core import find_game
from services import logs, traces
from services.analysis import Analyses
from services.archive import Archive, UnusableArchive, check_place
from services.audit.public_keys import UnreadableKeys
from services.audit.signing_keys import FOLDER, InvalidSigningKey, SigningKeys
from services.audit.trust import listed_keys
from services.eventlog import EventLog, RedisEventLog, Requests, Room
from services.invitations import Invitations
from services.limits import Crowds, Fleet, Policies, Quotas, Rates, policies_of
from services.limits.quotas import ENDPOINTS
from services.lobby import Lobby, Pairing, Seek
from services.lobby.seek import paired
from services.local_files import make_secret, read_or_make
from services.match import Folds, MatchService
from services.match.opening import Opening, match_id_of
from services.match.phrases import PHRASES
from services.match.seat_tokens import SeatTokens
from services.metrics.serving import begin as begin_metrics
from services.players import Erasures, Players
from services.presence import Presence
from services.settings import InvalidSetting, Settings
from services.spectators import Spectators
from services.tenants import GUEST_TENANT, Tenants
from services.views import MatchList, MatchPlaces, Ratings, TenantFeed, View
from services.watched import Watched
from services.webhooks import Webhooks


@dataclass(frozen=True, slots=True)
class Services:
    """What the processes are made of."""

    settings: Settings
    event_log: EventLog
    archive: Archive
    matches: MatchService
    opening: Opening
    lobby: Lobby
    analyses: Analyses
    folds: Folds
    seat_tokens: SeatTokens
    spectators: Spectators
    watched: Watched
    invitations: Invitations
    imports: Requests
    tenants: Tenants
    players: Players
    erasures: Erasures
    room: Room
    policies: Policies
    rates: Rates
    quotas: Quotas
    places: MatchPlaces
    crowds: Crowds
    presence: Presence
    match_list: MatchList
    tenant_feed: TenantFeed
    ratings: Ratings
    signing_keys: SigningKeys
    webhooks: Webhooks

    @property
    def views(self) -> tuple[View, ...]:
        """Return every view that the projector keeps."""
        return (self.match_list, self.tenant_feed, self.ratings)

    def forget_match(self, match_id: str, tenant: str, players: Sequence[str]) -> None:
        """Remove what is kept beside the log of a match that is to vanish.

        Players go with the last of their matches. What follows from the log (views,
        webhooks) hears of it by the feed.
        """
        for player in players:
            others = self.match_list.matches_of(tenant, player)
            if not any(self.event_log.load(n) for n in others if n != match_id):
                self.players.forget(player)
        self.spectators.forget(match_id)
        self.watched.hide(match_id)


class UnusableKeys(Exception):
    """A key has to be put right before anything is served; says where it stands."""


def now_ms() -> int:
    """Return the time of day in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def begin_process(process: str, settings: Settings) -> None:
    """Let a process be seen: its logs, metrics and traces, and that it lives."""
    configure_logs(process, settings)
    begin_metrics(settings)
    traces.begin(process, settings.redis_url, settings.trace_headers)
    Presence(settings.redis_url).keep(process, settings.replicas)


def configure_logs(process: str, settings: Settings) -> None:
    """Write the logs of a process as the settings say."""
    logs.configure(
        process, settings.log_level, has_access_log=bool(settings.access_log)
    )


def connect(settings: Settings) -> Services:
    """Build the services on the Redis of the settings; nothing is contacted yet."""
    if not settings.secret:
        secret = read_or_make(settings.data / "secret", make_secret)
        settings = replace(settings, secret=secret)
    url = settings.redis_url
    archive = Archive(url, archive_of(settings))
    event_log = RedisEventLog(
        url, phrases=PHRASES, replicas=settings.replicas, cold=archive
    )
    matches = MatchService(event_log, now_ms, settings.max_events)
    seat_tokens, players = SeatTokens(settings.secret), Players(url)
    tenants, places = Tenants(url), MatchPlaces(url)
    quotas = Quotas(settings, tenants.limits.of, places, GUEST_TENANT.__eq__)
    fleet = Fleet(event_log.deadlines, settings.waiting_turns)
    return Services(
        settings=settings,
        event_log=event_log,
        archive=archive,
        matches=matches,
        opening=Opening(matches, seat_tokens, players, quotas.place, fleet.admit),
        lobby=Lobby(url, now_ms, partial(_pair, seat_tokens)),
        analyses=Analyses(url, now_ms),
        folds=Folds(event_log),
        seat_tokens=seat_tokens,
        spectators=Spectators(url, seat_tokens),
        watched=Watched(url),
        invitations=Invitations(url, seat_tokens),
        imports=Requests(url, "import"),
        tenants=tenants,
        players=players,
        erasures=Erasures(url),
        room=Room(url),
        policies=policies_of(settings),
        rates=Rates(url, settings.api_workers),
        quotas=quotas,
        places=places,
        crowds=Crowds(url),
        presence=Presence(url),
        match_list=MatchList(url),
        tenant_feed=TenantFeed(url, replicas=settings.replicas),
        ratings=Ratings(url),
        signing_keys=signing_keys_of(settings),
        webhooks=Webhooks(
            url,
            event_log,
            settings.secret,
            lambda tenant: quotas.limit(ENDPOINTS, tenant),
        ),
    )


def _pair(secrets: SeatTokens, one: Seek, other: Seek) -> Pairing:
    """Return the match that two get who seek it; chance says who sits where."""
    both = f"{one.id} {other.id}"
    first, second = find_game(one.game).seats
    is_turned = ord(secrets.derive("sides", both, 1)) % 2
    seats = (second, first) if is_turned else (first, second)
    return paired(one, other, match_id_of(secrets.derive("pair", both, 22)), seats)


def archive_of(settings: Settings) -> str:
    """Return the folder or URL where archived matches are kept."""
    return settings.archive or str(settings.data / "archive")


def check_archive(settings: Settings) -> None:
    """Do nothing if matches can be archived where the settings say.

    :raises InvalidSetting: rather now than when the first match is old enough.
    """
    try:
        check_place(archive_of(settings))
    except UnusableArchive as error:
        name = "SEEDLOG_ARCHIVE" if settings.archive else "SEEDLOG_DATA"
        raise InvalidSetting(f"{name}: {error}") from error


def signing_keys_of(settings: Settings) -> SigningKeys:
    """Return the keys that exports are signed with; nothing is read yet."""
    return SigningKeys(settings.data / FOLDER, settings.signing_key, now_ms)


def check_keys(settings: Settings) -> None:
    """Do nothing if every key that is given or kept can be used; make none.

    :raises UnusableKeys: rather now than at the first export or import.
    """
    try:
        signing_keys_of(settings).made_keys()
        listed_keys(settings.data)
    except (InvalidSigningKey, UnreadableKeys) as error:
        raise UnusableKeys(str(error)) from error
