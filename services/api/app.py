"""The Flask app: blueprints by resource under `/v1`, problems for everything else."""

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.middleware.proxy_fix import ProxyFix

from services.api import (
    acts,
    analyses,
    audit,
    documents,
    events,
    feed,
    forks,
    games,
    guests,
    history,
    invitations,
    keys,
    limits,
    match_list,
    matches,
    moves,
    players,
    positions,
    problem_types,
    ratings,
    rematches,
    rules,
    seeks,
    spectators,
    statistics,
    webhooks,
)
from services.api.framing import framing
from services.api.replies import REPLIES, Replies
from services.api.seeking import SEEKING, Seeking
from services.bootstrap import Services
from services.http import health, hooks
from services.http.context import EXTENSION
from services.http.flask_app import LeanFlask
from services.http.origins import origins_of_api
from services.http.problems import answer_problem
from services.http.wire.limits import BEHIND_PROXY, BODY_LIMITS, ORIGIN_HEADERS
from services.web import client, embed, page, reference, verifier
from services.web.streams import SETTINGS


def create_app(services: Services) -> Flask:
    """Return the app on given services; nothing global, nothing connected yet."""
    app = LeanFlask("services.api", static_folder=None)
    app.config[BODY_LIMITS] = {
        "": services.settings.max_body,
        audit.IMPORTS: services.settings.max_import,
    }
    app.config[BEHIND_PROXY] = bool(services.settings.trusted_proxies)
    app.url_map.merge_slashes = False  # a redirect would repeat the client's Host
    app.config[SETTINGS] = services.settings
    app.extensions[EXTENSION] = services
    app.extensions[REPLIES] = Replies(
        services.event_log, services.matches, services.folds
    )
    app.extensions[SEEKING] = Seeking(services.lobby)
    for module in (
        games,
        rules,
        match_list,
        matches,
        players,
        moves,
        history,
        invitations,
        acts,
        forks,
        positions,
        analyses,
        ratings,
        rematches,
        seeks,
        events,
        feed,
        guests,
        statistics,
        audit,
        webhooks,
        keys,
        limits,
        spectators,
    ):
        app.register_blueprint(module.bp, url_prefix="/v1")
    app.register_blueprint(audit.well_known)
    app.register_blueprint(health.bp)
    app.register_blueprint(documents.bp)
    app.register_blueprint(problem_types.bp)
    app.register_blueprint(page.bp)
    app.register_blueprint(client.bp)
    app.register_blueprint(embed.bp)
    app.register_blueprint(verifier.bp)
    app.register_blueprint(reference.bp)
    app.config[page.ANCESTORS] = framing(services)
    allowed = origins_of_api(services.settings, services.tenants)
    if allowed.named:
        app.config[ORIGIN_HEADERS] = allowed.headers
    hooks.register(app, allowed)
    app.register_error_handler(NotFound, _answer_not_found)
    if services.settings.trusted_proxies:
        hops = services.settings.trusted_proxies
        # Only the first of them knows the scheme; the others hand it on as it is.
        fixed = ProxyFix(app.wsgi_app, x_for=hops, x_proto=1)
        app.wsgi_app = fixed  # type: ignore[method-assign]
    return app


def _answer_not_found(error: Exception) -> Response:
    """Answer apps with a problem, and whoever looks with a page that leads home."""
    if page.likes_pages():
        request.environ[hooks.TOLD_BY_PAGE] = True
        return page.astray_page()
    answer = answer_problem(error)
    answer.vary.add("Accept")
    return answer
