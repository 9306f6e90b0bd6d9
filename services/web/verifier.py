"""Serves the verifier of exports as a module, with the rules of a game.

It is what stands in the page that an export can be, for the audit view of the site.
"""

import json
from typing import Any

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from rules_core import find_game
from rules_core.errors import RulesError
from rules_core.game import Variant
from services.audit.page import shown_game, verifier_script
from services.web.assets import Asset
from services.web.guard import guarded
from services.web.minifying import smaller
from services.web.page import STRICTER

LONGEST = 300
EXPORTED = "\nexport {{ verify, rules }};\nexport const game = {game};\n"

bp = Blueprint("verifier", __name__)


@bp.get("/verifier.js")
def read_verifier() -> ResponseReturnValue:
    """Return the verifier; without rules where there are none by what is asked."""
    asked = {name: request.args.get(name, "") for name in ("game", "rules", "options")}
    variant = _variant(**asked)
    exported = EXPORTED.format(game=json.dumps(shown_game(variant) if variant else {}))
    text = smaller(verifier_script(variant)) + exported
    module = Asset("verifier", "js", text).response()
    return guarded(module, *STRICTER).make_conditional(request.environ)


def _variant(game: str, rules: str, options: str) -> Variant | None:
    """Return the game with its options, or None if there is no such."""
    try:
        given: Any = json.loads(options[:LONGEST])
        found = find_game(game, rules)
        return found.variant(found.complete_options(given))
    except (RulesError, ValueError, TypeError, AttributeError):
        return None
