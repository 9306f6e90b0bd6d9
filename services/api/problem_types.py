"""What each type of problem means: as JSON, and as a page for who follows its URL."""

import json
import re
from typing import Any

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from services.http.problems import TYPES, find_problem
from services.http.refusals import NoSuchProblem
from services.http.responses import json_response, list_json
from services.http.teller import language_of_reader, mark_language
from services.http.wire.problem import Problem
from services.languages import Language, Message
from services.rulebooks import html

bp = Blueprint("problems", __name__)

JSON, HTML = "application/json", "text/html"
CACHED = {"Cache-Control": "public, max-age=300"}
POLICY = "default-src 'none'; style-src 'self'"
STYLE = "/static/rulebook.css"
EXAMPLE_ID = "9f86d081884c7d65"

PROBLEMS, CAUSE = Message("Problems"), Message("Cause")
ADVICE, EXAMPLE = Message("What to do"), Message("Example")

_LINKED = re.compile(r"<code>(/problems/[a-z-]+)</code>(?=</td>)")


@bp.get("/problems")
def list_problems() -> ResponseReturnValue:
    """List every type of problem."""
    if _wants_page():
        return _page(_list_text(language_of_reader()))
    shown = [_problem_json(problem) for problem in TYPES.values()]
    return _vary(json_response(list_json(shown, None), headers=CACHED))


@bp.get("/problems/<name>")
def read_problem(name: str) -> ResponseReturnValue:
    """Say what a type of problem means, and what to do."""
    if name not in TYPES:
        raise NoSuchProblem(name)
    problem = TYPES[name]
    if _wants_page():
        return _page(_problem_text(problem, language_of_reader()))
    return _vary(json_response(_problem_json(problem), headers=CACHED))


def _problem_json(problem: Problem) -> dict[str, Any]:
    return {
        "type": f"/problems/{problem.type}",
        "title": problem.title,
        "status": problem.status,
        "cause": problem.cause,
        "advice": problem.advice,
    }


def _wants_page() -> bool:
    """Tell whether a page is liked better than JSON, as by a browser."""
    wanted = request.accept_mimetypes
    return wanted.best_match([JSON, HTML], default=JSON) == HTML


def _problem_text(problem: Problem, language: Language) -> str:
    tell = language.tell
    _, detail = find_problem(problem.example)
    body = json.loads(problem.body(problem.example, detail, EXAMPLE_ID, language))
    example = json.dumps(body, ensure_ascii=False, indent=2)
    return f"""# {tell(problem.title)}

`{problem.status}` `/problems/{problem.type}`

## {tell(CAUSE)}

{tell(problem.cause)}

## {tell(ADVICE)}

{tell(problem.advice)}

## {tell(EXAMPLE)}

```
{example}
```
"""


def _list_text(language: Language) -> str:
    tell = language.tell
    lines = [f"# {tell(PROBLEMS)}", ""]
    head = (Message("Type"), Message("Status"), Message("Title"))
    lines += [f"| {' | '.join(map(tell, head))} |", "| --- | --- | --- |"]
    for name, problem in sorted(TYPES.items()):
        title = tell(problem.title)
        lines.append(f"| `/problems/{name}` | `{problem.status}` | {title} |")
    return "\n".join(lines)


def _page(markdown: str) -> Response:
    """Return a page in the language of its reader, under a strict policy."""
    language = language_of_reader()
    title = markdown.partition("\n")[0].removeprefix("# ")
    article = html.render(markdown, language.code)
    article = _LINKED.sub(r'<a href="\1"><code>\1</code></a>', article)
    page = html.page(article, title, language.code, STYLE)
    response = Response(page, content_type="text/html; charset=utf-8", headers=CACHED)
    response.headers["Content-Security-Policy"] = POLICY
    mark_language(response, language)
    return _vary(response)


def _vary(response: Response) -> Response:
    response.vary.add("Accept")
    return response
