"""What options take that say where something answers."""

from typing import Any

import click


class HttpUrl(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """A URL that can be asked."""

    name = "url"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return it, or say what would have been one."""
        if not str(value).startswith(("http://", "https://")):
            self.fail(f"{value} does not begin with http:// or https://", param, ctx)
        return str(value)


HTTP_URL = HttpUrl()
