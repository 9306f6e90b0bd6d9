"""Problems of lists, of the feed, and of webhooks, which bring it."""

from services import views, webhooks
from services.http.wire.problem import Problem, told
from services.languages import Message

FEEDS: tuple[Problem, ...] = (
    Problem(
        400,
        "invalid-cursor",
        Message("The cursor is not one of this list"),
        cause=Message("The cursor was not made by this list, or was changed."),
        advice=Message(
            "Send next_cursor as it was answered, or begin without a cursor."
        ),
        example=views.InvalidCursor(),
    ),
    Problem(
        410,
        "feed-trimmed",
        Message("The feed does not reach back so far"),
        cause=Message("Entries that old are no longer kept in the feed."),
        advice=Message("Read the matches themselves, then go on after oldest."),
        example=views.FeedTrimmed(10, 4000),
        facts=lambda e: {"oldest": str(e.oldest)},
    ),
    Problem(
        404,
        "no-such-entry",
        Message("The feed has no such entry"),
        cause=Message(
            "The feed has not come so far: the number is from another server."
        ),
        advice=Message("Go on after newest, or begin with 0."),
        example=views.NoSuchEntry(5000, 4000),
        facts=lambda e: {"newest": str(e.newest)},
    ),
    Problem(
        404,
        "no-such-endpoint",
        Message("There is no such webhook endpoint"),
        cause=Message("This app has no webhook endpoint of this id."),
        advice=Message("Choose one of GET /v1/webhook-endpoints."),
        example=webhooks.NoSuchEndpoint("whe_1"),
    ),
    Problem(
        404,
        "no-such-delivery",
        Message("There is no such delivery"),
        cause=Message("There is no such delivery, or it is too old to be kept."),
        advice=Message("Choose one of the deliveries of the endpoint."),
        example=webhooks.NoSuchDelivery("whd_1"),
    ),
    Problem(
        409,
        "too-many-endpoints",
        Message("The tenant has as many webhook endpoints as it may"),
        cause=Message("An app may have only so many webhook endpoints."),
        advice=Message("Delete one that is not needed, or change one."),
        example=webhooks.TooManyEndpoints(10, 10),
        facts=told("limit", "used"),
    ),
)
