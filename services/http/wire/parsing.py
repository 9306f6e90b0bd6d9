"""What gunicorn's own parser refuses, and what it lets pass, in our words."""

from typing import Any

from gunicorn.http import errors

from services.http.wire import framing
from services.languages import Message


def check_coding(request: Any) -> None:
    """Refuse a body that would have to be unpacked before it could be read.

    :raises UnsupportedCoding: gunicorn takes gzip before chunked, and leaves it packed.
    """
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING" and value.strip().lower() != "chunked":
            raise framing.UnsupportedCoding


def as_refusal(error: errors.ParseException) -> framing.BadRequest:
    """Return what gunicorn's parser refuses as a refusal of ours."""
    match error:
        case errors.LimitRequestLine():
            return framing.TargetTooLong()
        case errors.LimitRequestHeaders():
            return framing.HeadTooLarge()
        case errors.ExpectationFailed():
            return framing.ExpectationFailed()
        case errors.UnsupportedTransferCoding():
            return framing.UnsupportedCoding()
    return framing.BadRequest(Message("it cannot be read: {reason}", reason=str(error)))
