"""The processes of this package, until a signal ends them."""

import os
import socket

import structlog

from rules_core.compiled import plain_games
from rules_core.search.ending_tables import FOLDER, SHELF
from services.bootstrap import connect, now_ms
from services.match.timekeeper import Timekeeper
from services.settings import Settings
from services.signals import stop_on_signals
from workers import analyse, play_turn, send_webhooks
from workers.analyses import analyses_beside
from workers.analysis_queue import analysis_queue
from workers.dispatcher import Dispatcher
from workers.queues import AI_GAMES, AI_LIVE, ai_queue, connect_queues
from workers.webhook_queue import webhook_queue
from workers.webhooks import webhooks_beside
from workers.worker import WORKER_TTL_S, AiWorker, AnalysisWorker, WebhookWorker

QUEUE_TIMEOUT_S = 5.0
"""A queue that hangs is away: without this the dispatcher would hang with it."""

log = structlog.get_logger()


def run_dispatcher(settings: Settings) -> None:
    """Dispatch until a signal comes; and keep time, where the archiver does not."""
    services = connect(settings)
    queue = ai_queue(connect_queues(settings.queue_url, QUEUE_TIMEOUT_S))
    member = f"{socket.gethostname()}-{os.getpid()}"
    dispatcher = Dispatcher(services.event_log, services.matches, queue, member, now_ms)
    should_stop = stop_on_signals()
    stand_in = Timekeeper(
        services.event_log, services.matches, now_ms, is_stand_in=True
    )
    stand_in.start(should_stop)
    hooks = webhook_queue(connect_queues(settings.queue_url, QUEUE_TIMEOUT_S))
    batch = analysis_queue(connect_queues(settings.queue_url, QUEUE_TIMEOUT_S))
    with (
        webhooks_beside(services, hooks, should_stop),
        analyses_beside(services.analyses, batch, should_stop),
    ):
        dispatcher.run(should_stop)


def run_ai_worker(settings: Settings) -> None:
    """Play turns until a signal comes; the turn at hand is finished first."""
    _prepare_to_think(settings)
    play_turn.warm_up()
    connection = connect_queues(settings.queue_url)
    worker = AiWorker(
        [ai_queue(connection, AI_LIVE), ai_queue(connection, AI_GAMES)],
        connection=connection,
        serializer="json",
        worker_ttl=WORKER_TTL_S,
    )
    worker.serve()


def run_analysis_worker(settings: Settings) -> None:
    """Think about analyses until a signal comes; another goes on with that at hand."""
    _prepare_to_think(settings)
    analyse.warm_up()
    connection = connect_queues(settings.queue_url)
    worker = AnalysisWorker(
        [analysis_queue(connection)],
        connection=connection,
        serializer="json",
        worker_ttl=WORKER_TTL_S,
    )
    worker.serve()


def _prepare_to_think(settings: Settings) -> None:
    SHELF.use(settings.data / FOLDER)
    if plain := plain_games():
        told = "games run in plain Python, slower; `seedlog compile` compiles them"
        log.warning(told, games=",".join(plain))


def run_webhook_worker(settings: Settings) -> None:
    """Send webhooks until a signal comes; what is on its way then has some seconds."""
    send_webhooks.warm_up()
    connection = connect_queues(settings.queue_url)
    worker = WebhookWorker(
        [webhook_queue(connection)],
        connection=connection,
        serializer="json",
        worker_ttl=WORKER_TTL_S,
    )
    worker.serve()
