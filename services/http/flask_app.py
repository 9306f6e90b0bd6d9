"""The Flask of API and streams."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

from flask import Flask, Request, Response
from flask.sessions import NullSession, SessionInterface
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import Headers
from werkzeug.routing import MapAdapter, Rule

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


class MatchedRule(Rule):
    """A rule by which requests are matched; no address is built from one.

    To get ready for that is most of the time in which an app is made.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., NoReturn]:
        def build(**_: object) -> NoReturn:
            raise NotImplementedError("no address is built from a rule")

        return build


class WholeResponse(Response):
    """An answer whose body is there, and whose headers are sent as they are."""

    def get_wsgi_headers(self, environ: "WSGIEnvironment") -> Headers:
        """Return the headers; none of them has to be made a URL or to be measured."""
        return self.headers


class NoSessions(SessionInterface):
    """Who asks is told by a token, never by a cookie: no request has a session."""

    _none = NullSession()

    def open_session(self, _app: Flask, _request: Request) -> NullSession:
        """Return what refuses to be used."""
        return self._none


class LeanFlask(Flask):
    """A Flask that does for each request what ours need, and nothing more.

    Its functions are all ordinary ones, so none is asked whether it is a coroutine.
    What is done before and after a request is done for all of them, whatever their
    blueprint; nothing is torn down. Paths are matched alike for all hosts: that the
    name is served is `hooks.check_host`'s business.
    """

    url_rule_class = MatchedRule
    session_interface = NoSessions()

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return what matches the path of a request, whatever host it names."""
        if request is None:
            return None
        environ = request.environ
        return MapAdapter(
            self.url_map,
            server_name="",
            script_name=environ.get("SCRIPT_NAME") or "/",
            subdomain="",
            url_scheme=environ["wsgi.url_scheme"],
            path_info=request.path,
            default_method=environ["REQUEST_METHOD"],
            query_args=environ.get("QUERY_STRING", ""),
        )

    def preprocess_request(self) -> ResponseReturnValue | None:
        """Do what comes before every request; what one returns is the answer."""
        for prepare in self.before_request_funcs[None]:
            answer = prepare()
            if answer is not None:
                return cast(ResponseReturnValue, answer)
        return None

    def process_response(self, response: Response) -> Response:
        """Do what comes after every request, the last one that was added first."""
        for finish in reversed(self.after_request_funcs[None]):
            response = cast(Response, finish(response))
        return response

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Tear nothing down."""

    def do_teardown_appcontext(self, exc: BaseException | None = None) -> None:
        """Tear nothing down."""
