"""The processes of this package, until a signal ends them."""

import os
import socket

import structlog
from rq import Queue

from rules_core.compiled import plain_games
from rules_core.search.ending_tables import FOLDER, SHELF
from services.bootstrap import Services, connect, now_ms
from services.match.timekeeper import Timekeeper
from services.metrics.serving import serve
from services.settings import Settings
from services.signals import pause, stop_on_signals
from workers import analyse, play_turn, send_webhooks
from workers.analyses import AnalysisDispatcher
from workers.beside import beside
from workers.dispatcher import Dispatcher
from workers.queues import (
    AI_BATCH,
    AI_GAMES,
    AI_LIVE,
    WEBHOOKS,
    connect_queues,
    job_queue,
)
from workers.state import State
from workers.webhooks import WebhookDispatcher
from workers.worker import (
    WORKER_TTL_S,
    AiWorker,
    AnalysisWorker,
    WebhookWorker,
    signed_on,
)

QUEUE_TIMEOUT_S = 5.0
"""A queue that hangs is away: without this the dispatcher would hang with it."""

LOOK_S = 60.0

log = structlog.get_logger()


def run_dispatcher(settings: Settings) -> None:
    """Dispatch until a signal comes; and keep time, where the archiver does not."""
    services = connect(settings)

    def queue(name: str) -> Queue:
        return job_queue(connect_queues(settings.queue_url, QUEUE_TIMEOUT_S), name)

    events, matches = services.event_log, services.matches
    member = f"{socket.gethostname()}-{os.getpid()}"
    dispatcher = Dispatcher(events, matches, queue(AI_LIVE), member, now_ms)
    should_stop = stop_on_signals()
    Timekeeper(events, matches, now_ms, is_stand_in=True).start(should_stop)
    webhooks = WebhookDispatcher(services, queue(WEBHOOKS))
    analyses = AnalysisDispatcher(services.analyses, queue(AI_BATCH))
    with (
        beside(webhooks.run, should_stop, join_s=6.0),
        beside(analyses.run, should_stop, join_s=3.0),
    ):
        dispatcher.run(should_stop)


def run_ai_worker(settings: Settings) -> None:
    """Play turns until a signal comes; the turn at hand is finished first."""
    _prepare_to_think(settings)
    _serve(AiWorker, play_turn.warm_up(), settings, AI_LIVE, AI_GAMES)


def run_analysis_worker(settings: Settings) -> None:
    """Think about analyses until a signal comes; another goes on with that at hand."""
    _prepare_to_think(settings)
    _serve(AnalysisWorker, analyse.warm_up(), settings, AI_BATCH)


def run_webhook_worker(settings: Settings) -> None:
    """Send webhooks until a signal comes; what is on its way then has some seconds."""
    _serve(WebhookWorker, send_webhooks.warm_up(), settings, WEBHOOKS)


def run_observer(settings: Settings) -> None:
    """Tell what stands in log and queue, and what processes here record, when asked."""
    should_stop = stop_on_signals()
    serve(settings, State(settings))
    while not should_stop():
        pause(LOOK_S, should_stop)


def _prepare_to_think(settings: Settings) -> None:
    SHELF.use(settings.data / FOLDER)
    if plain := plain_games():
        told = "games run in plain Python, slower; `seedlog compile` compiles them"
        log.warning(told, games=",".join(plain))


def _serve(
    kind: type[AiWorker], services: Services, settings: Settings, *names: str
) -> None:
    connection = connect_queues(settings.queue_url)
    queues = [job_queue(connection, name) for name in names]
    worker = signed_on(
        lambda: kind(
            queues, connection=connection, serializer="json", worker_ttl=WORKER_TTL_S
        )
    )
    worker.serve(services.event_log.check)
