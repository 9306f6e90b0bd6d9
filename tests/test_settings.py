"""A setting is checked before it takes effect, and says what would have been right."""

import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from services.cli.ports import PortTaken, check_port
from services.container import check_room_for_threads, check_room_in_memory
from services.environment import from_environment, weaknesses
from services.eventlog.pools import pool_of
from services.local_files import make_secret
from services.redis_urls import (
    NUMBER_OPTION,
    OPTIONS,
    SENTINEL_OPTIONS,
    TLS_OPTIONS,
    parse_redis_url,
)
from services.settings import PROCESSES, InvalidSetting, Settings, variable_of
from tests.support.commands import seedlog

NUMBERS = [setting for setting in fields(Settings) if setting.type is int]


@pytest.mark.parametrize("hosts", ["http://a", "a:80", "a/b", "games.example,b"])
def test_hosts_are_names_and_addresses(hosts: str) -> None:
    assert from_environment({"SEEDLOG_HOSTS": "games.example ::1 127.0.0.1"})
    with pytest.raises(InvalidSetting, match="SEEDLOG_HOSTS"):
        from_environment({"SEEDLOG_HOSTS": hosts})


@pytest.mark.parametrize("setting", NUMBERS, ids=variable_of)
def test_every_number_has_a_range_that_is_told(setting: object) -> None:
    name = variable_of(setting)
    least, most = setting.metadata["between"][0], setting.metadata["between"][1]
    together = {"SEEDLOG_API_WORKERS": "1", "SEEDLOG_API_THREADS": "1"}

    assert least <= getattr(Settings(), setting.name) <= most
    for inside in (least, most):
        read = from_environment(together | {name: str(inside)})
        assert getattr(read, setting.name) == inside
    for outside in (str(least - 1), str(most + 1), "1.5", "ten", "٣", "9" * 5000):
        with pytest.raises(InvalidSetting) as refused:
            from_environment({name: outside})
        said = f"{name} must be a whole number from {least} to {most}, not "
        assert str(refused.value).startswith(said)
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize("name", ["REDIS_URL", "QUEUE_URL"])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://:se@cr/et#word@redis:6379/0", "has a #.*# is %23"),
        ("redis://:se/cret@redis:6379/0", "has a / or a .*/ is %2F"),
        ("redis://:secret#@redis:6379/0", "has a #.*# is %23"),
        ("redis://:secret?@redis:6379/0", r"has a / or a \? before its @.*\? is %3F"),
        ("redis://:se[cret@redis:6379/0", r"has a \[.*\[ is %5B"),
        ("redis://redis:port/0", "has a port"),
        ("redis://redis:0/0", "has a port"),
        ("redis://redis:6379/zero", "must end with the number"),
        ("redis://", "lacks a host"),
        ("redis://:secret@", "lacks a host"),
        ("redis://[::1/0", r"has a \["),
        ("redis:6379", "must begin with redis://"),
        ("http://redis:6379", "must begin with redis://"),
        ("unix://", "names no socket"),
        ("redis://redis:6379,other:6379/0", "names several servers"),
        ("redis+sentinel://:secret@one:26379,two:26379", "names no service"),
        ("redis+sentinel://one:26379/a service", "must end with /SERVICE"),
        ("redis+sentinel://one,:secret@two/service", "has a comma before its @"),
        ("redis+cluster://one:port", "has a port"),
        ("redis+cluster://one:6379,/", "lacks a host"),
        ("redis+cluster://:secret@one:6379/1", "names a database"),
        ("redis+other://one:6379", "must begin with redis://"),
        ("redis://one/0?nonsense=1", "has the option 'nonsense'.* client_name, db,"),
        ("redis://one/0?decode_responses=0", "has the option 'decode_responses'"),
        ("redis://one/0?sentinel_password=cret", "has the option 'sentinel_password'"),
        ("redis://one/0?ssl_ca_certs=/ca", "has the option .* ssl_ need rediss"),
        ("redis://one/0?socket_timeout=soon", "has an option socket_timeout that"),
        ("unix:///data/redis.sock?db=one", "has an option db that"),
        ("redis+cluster://one?db=1", "has the option 'db'"),
    ],
)
def test_a_url_that_would_lead_elsewhere_is_refused(
    name: str, url: str, said: str
) -> None:
    """At once, where a wrong host would be waited for; without telling the password.

    Of an option that there is none of, the client library would know only when it
    connects.
    """
    with pytest.raises(InvalidSetting, match=rf"{name} {said}") as refused:
        from_environment({name: url})

    assert "cret" not in str(refused.value)


@pytest.mark.parametrize("url", ["redis://one", "rediss+sentinel://one/service"])
def test_every_option_of_a_url_is_one_of_the_client_library(url: str) -> None:
    """Together they make a connection, which is not opened here."""
    values = {"db": "1", "socket_keepalive": "yes", "ssl_check_hostname": "no"}
    known = OPTIONS | NUMBER_OPTION
    if url.startswith("rediss"):
        known = known | TLS_OPTIONS | SENTINEL_OPTIONS
        values["ssl_cert_reqs"] = "required"
    options = "&".join(f"{name}={values.get(name, '7')}" for name in known)

    pool = pool_of(f"{url}?{options}")

    assert pool.make_connection()


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:6379/0",
        "redis://redis",
        "redis://redis/3?health_check_interval=5",
        "rediss://user:s%40%2F%23@redis:6380/0",
        "redis://:with@sign@redis:6379/0",
        "redis://[::1]:6379/0",
        "unix:///data/log/redis.sock",
        "unix:///data/log/redis.sock?db=1",
        "redis+sentinel://one,two:26380,[::1]:26379/service/3?sentinel_password=s",
        "rediss+sentinel://user:s%40@one:26379/my-service",
        "redis+cluster://user:s%2C@one:7000,two,three:7002",
        "rediss+cluster://one:7000/",
    ],
)
def test_a_url_that_leads_to_a_redis_is_taken(url: str) -> None:
    assert from_environment({"REDIS_URL": url}).redis_url == url


def test_what_a_url_says_of_several_servers_is_understood() -> None:
    """The client library is told the rest as it would be told of one server."""
    read = parse_redis_url("rediss+sentinel://me:s%2C@one,[::1]:7/service/3?db=2")

    assert read.nodes == (("one", 26379), ("::1", 7))
    assert (read.kind, read.service) == ("sentinel", "service")
    assert read.one == "rediss://me:s%2C@one/3?db=2"


def test_the_queue_cannot_be_kept_in_a_cluster() -> None:
    with pytest.raises(InvalidSetting, match="QUEUE_URL must be one server, or"):
        from_environment({"QUEUE_URL": "redis+cluster://one:7000"})


@pytest.mark.parametrize("name", ["SEEDLOG_STREAM_URL", "SEEDLOG_STREAM_ORIGINS"])
def test_an_address_needs_its_scheme(name: str) -> None:
    with pytest.raises(InvalidSetting, match=f"{name} must begin with http"):
        from_environment({name: "streams.example.org"})


SECRETS = {
    "REDIS_URL": "redis://:secret@redis:6379/0",
    "QUEUE_URL": "redis://:secret@queue:6379/0",
    "SEEDLOG_SECRET": "x" * 32,
    "SEEDLOG_SIGNING_KEY": "0" * 64,
}
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"


@pytest.mark.parametrize(
    ("name", "secret"), [*SECRETS.items(), (HEADERS, "api-key=abc,tenant=games")]
)
def test_a_secret_may_stand_in_a_file(name: str, secret: str, tmp_path: Path) -> None:
    """As it is, but for the end of its line."""
    file = tmp_path / "secret"
    file.write_text(secret + "\n")

    read = from_environment({f"{name}_FILE": str(file)})

    assert read == from_environment({name: secret})


def test_headers_for_traces_may_be_none(tmp_path: Path) -> None:
    """The file is there in every container, whether there is a collector or not."""
    file = tmp_path / "headers"
    file.write_text("\n")

    assert from_environment({f"{HEADERS}_FILE": str(file)}).trace_headers == ""


@pytest.mark.parametrize("headers", ["secret", "a=b,secret", "=secret"])
def test_headers_are_pairs_and_not_repeated(headers: str) -> None:
    with pytest.raises(InvalidSetting, match=f"{HEADERS} must be NAME=VALUE") as wrong:
        from_environment({HEADERS: headers})

    assert "secret" not in str(wrong.value)


def test_other_variables_of_opentelemetry_are_no_slips() -> None:
    assert weaknesses(Settings(), {"OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=b"}) == []


@pytest.mark.parametrize("name", SECRETS)
def test_a_file_of_a_secret_has_to_hold_one(name: str, tmp_path: Path) -> None:
    """Rather than that another is made, or the wrong one is taken."""
    empty = tmp_path / "empty"
    empty.touch()

    for environment, said in (
        ({f"{name}_FILE": str(empty)}, "is empty"),
        ({f"{name}_FILE": str(tmp_path / "none")}, "cannot be read"),
        ({f"{name}_FILE": str(empty), name: SECRETS[name]}, "one is enough"),
    ):
        with pytest.raises(InvalidSetting, match=f"{name}_FILE.*{said}"):
            from_environment(environment)


def test_what_is_no_secret_is_read_from_no_file(tmp_path: Path) -> None:
    given = {"SEEDLOG_PORT_FILE": str(tmp_path)}

    assert from_environment(given).port == 8000
    assert weaknesses(Settings(), given) == [
        "SEEDLOG_PORT_FILE is not read: only what is secret may stand in a file; set "
        "SEEDLOG_PORT"
    ]


def test_a_secret_that_could_be_guessed_is_served_and_said() -> None:
    """And is not repeated; the one that `up` and deploy/up make is long enough."""
    (said,) = weaknesses(from_environment({"SEEDLOG_SECRET": "x" * 31}), {})
    assert "at least 32 characters, not 31" in said
    assert "xxx" not in said
    for secret in ("", "x" * 32, make_secret()):
        assert weaknesses(from_environment({"SEEDLOG_SECRET": secret}), {}) == []


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InvalidSetting) as refused:
        from_environment(
            {
                "SEEDLOG_PORT": "web",
                "REDIS_URL": "redis",
                "SEEDLOG_ORIGINS": "app.example",
                "SEEDLOG_STREAM_ORIGINS": "https://app.example",
                "SEEDLOG_API_WORKERS": "64",
                "SEEDLOG_API_THREADS": "1024",
                "SEEDLOG_ARCHVE": "/a",
            }
        )

    said = [line.split()[0] for line in str(refused.value).splitlines()]
    assert said == [
        "SEEDLOG_PORT",
        "SEEDLOG_ORIGINS",
        "REDIS_URL",
        "SEEDLOG_API_WORKERS",
        "SEEDLOG_ARCHVE",
    ]


def test_a_name_that_nobody_reads_is_told_beside_the_one_that_is_meant() -> None:
    """Names of the Docker stack and of others are left in peace."""
    given = {
        "SEEDLOG_ARCHVE": "/a",
        "SEEDLOG_IMAGE": "mine",
        "SEEDLOGS": "",
        "HOME": "",
    }

    said = weaknesses(from_environment(given), given)

    assert said == ["SEEDLOG_ARCHVE is not a setting: is it SEEDLOG_ARCHIVE?"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REDIS_URI", "REDIS_URL"),
        ("QUEUE_URI", "QUEUE_URL"),
        ("redis_url", "REDIS_URL"),
        ("REDISURL", "REDIS_URL"),
        ("QUEUE_URL_FIEL", "QUEUE_URL_FILE"),
        ("SEEDLOG_SECRET_FIL", "SEEDLOG_SECRET_FILE"),
        ("seedlog_archive", "SEEDLOG_ARCHIVE"),
    ],
)
def test_near_misses_of_every_name_are_told(name: str, meant: str) -> None:
    given = {name: "x"}

    said = weaknesses(from_environment(given), given)

    assert said == [f"{name} is not a setting: is it {meant}?"]


def test_what_another_program_reads_is_left_in_peace() -> None:
    given = {"REDIS_URL": "redis://one", "REDIS_URI": "redis://one", "REDIS_HOST": "a"}

    assert weaknesses(from_environment(given), given) == []


def test_who_lacks_a_setting_is_told_of_the_near_miss(tmp_path: Path) -> None:
    ran = seedlog("projector", SEEDLOG_DATA=str(tmp_path), REDIS_URI="redis://one")

    assert "REDIS_URI is not a setting: is it REDIS_URL?" in ran.output


def test_check_tells_of_the_wrong_form_and_of_what_cannot_be_used(
    tmp_path: Path,
) -> None:
    """All at once: one run is enough."""
    ran = seedlog(
        "check",
        SEEDLOG_DATA=str(tmp_path),
        SEEDLOG_PORT="web",
        SEEDLOG_SIGNING_KEY="short",
        SEEDLOG_ARCHIVE="memory://x",
    )

    for name in ("SEEDLOG_PORT", "SEEDLOG_SIGNING_KEY", "SEEDLOG_ARCHIVE: memory"):
        assert name in ran.output


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("nonsense.invalid", "set SEEDLOG_METRICS_HOST"),
        ("192.0.2.1", "set SEEDLOG_METRICS_HOST"),
        ("127.0.0.1", "set SEEDLOG_METRICS_PORT"),
    ],
)
def test_an_address_that_is_none_of_this_host_has_its_own_remedy(
    host: str, said: str
) -> None:
    names = ("SEEDLOG_METRICS_PORT", "SEEDLOG_METRICS_HOST")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=said):
            check_port(host, port, *names)


def test_threads_of_all_processes_are_counted_together() -> None:
    many = {"SEEDLOG_API_WORKERS": "16", "SEEDLOG_API_THREADS": "512"}

    with pytest.raises(InvalidSetting, match="16 times 512 = 8192"):
        from_environment(many)


@pytest.mark.parametrize("allowed", ["max", "512"])
def test_a_container_with_room_for_the_threads_will_do(
    tmp_path: Path, allowed: str
) -> None:
    limit = tmp_path / "pids.max"
    limit.write_text(f"{allowed}\n")

    check_room_for_threads(Settings(api_workers=4), (limit, tmp_path / "none"))


def test_a_container_too_small_for_the_threads_is_told_of(tmp_path: Path) -> None:
    """Otherwise workers die under load, one after the other."""
    limit = tmp_path / "pids.max"
    limit.write_text("128\n")

    with pytest.raises(InvalidSetting, match=r"208 processes.*allowed 128"):
        check_room_for_threads(Settings(api_workers=4), (limit,))


def test_check_refuses_one_port_for_two_servers(tmp_path: Path) -> None:
    own = {"SEEDLOG_DATA": str(tmp_path), "SEEDLOG_PORT": "8100"}

    assert seedlog("check", **own).exit_code == 0
    ran = seedlog("check", **own, SEEDLOG_STREAM_PORT="8100")
    assert (ran.exit_code, "are both 8100" in ran.output) == (1, True)


def test_a_setting_names_processes_that_there_are() -> None:
    for setting in fields(Settings):
        assert set(setting.metadata.get("read_by", PROCESSES)) <= set(PROCESSES)


@pytest.mark.parametrize(
    ("workers", "mebibytes", "is_enough"),
    [(1, 256, True), (3, 512, True), (4, 512, False)],
)
def test_too_little_memory_is_foreseen(
    tmp_path: Path, workers: int, mebibytes: int, *, is_enough: bool
) -> None:
    """Otherwise the processes would be killed again and again."""
    limit = tmp_path / "memory.max"
    limit.write_text(f"{mebibytes * 1024 * 1024}\n")
    settings = Settings(api_workers=workers)

    if is_enough:
        check_room_in_memory(settings, (limit,))
    else:
        with pytest.raises(InvalidSetting, match="allowed 512 MiB"):
            check_room_in_memory(settings, (limit,))


def test_settings_are_checked_where_nothing_is_but_python() -> None:
    """`deploy/up` does so before there is an image, and hears all that is wrong."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "services.container"],
        env={"SEEDLOG_MAX_BODY": "0", "SEEDLOG_API_WORKERS": "none"},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.startswith("seedlog: ")
    assert "SEEDLOG_MAX_BODY must be" in done.stderr
    assert "SEEDLOG_API_WORKERS must be" in done.stderr


def test_memory_without_a_limit_is_enough(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text("max\n")

    check_room_in_memory(Settings(api_workers=64), (limit, tmp_path / "none"))


def test_check_is_as_strict_as_it_is_asked_to_be(tmp_path: Path) -> None:
    own = {"SEEDLOG_DATA": str(tmp_path), "SEEDLOG_SECRET": "long enough " * 4}
    weak = {**own, "SEEDLOG_SECRET": "short"}

    assert seedlog("check", "--strict", **own).exit_code == 0
    assert seedlog("check", **weak).exit_code == 0
    ran = seedlog("check", "--strict", **weak)
    assert (ran.exit_code, "SEEDLOG_SECRET" in ran.output) == (1, True)


@pytest.mark.parametrize("name", ["SEEDLOG_DATA", "SEEDLOG_ARCHIVE"])
def test_check_says_that_a_name_is_too_long(tmp_path: Path, name: str) -> None:
    given = {"SEEDLOG_DATA": str(tmp_path), name: str(tmp_path / ("a" * 300))}
    ran = seedlog("check", **given)
    assert ran.exit_code == 1
    assert "File name too long" in ran.output


@pytest.mark.parametrize("place", ["/proc/none", "/dev/null/none", "taken"])
def test_check_says_where_the_data_folder_cannot_be(tmp_path: Path, place: str) -> None:
    """Whoever archives in it is told of that folder, and not of another setting."""
    (tmp_path / "taken").write_text("")
    ran = seedlog("check", SEEDLOG_DATA=str(tmp_path / place))
    assert ran.exit_code == 1
    assert "SEEDLOG_DATA" in ran.output
    assert "SEEDLOG_ARCHIVE" not in ran.output


def test_where_the_log_is_elsewhere_nothing_has_to_be_written(tmp_path: Path) -> None:
    """As in the containers of `deploy`, whose files are read-only."""
    nowhere = tmp_path / "file"
    nowhere.touch()
    given = {"SEEDLOG_DATA": str(nowhere), "SEEDLOG_ARCHIVE": str(tmp_path / "archive")}
    secret = "long enough " * 4

    refused = seedlog("check", SEEDLOG_SECRET=secret, **given)
    ran = seedlog("check", SEEDLOG_SECRET=secret, REDIS_URL="redis://log", **given)

    assert (refused.exit_code, ran.exit_code) == (1, 0), ran.output


def test_check_makes_no_data_folder(tmp_path: Path) -> None:
    assert seedlog("check", SEEDLOG_DATA=str(tmp_path / "new" / "one")).exit_code == 0
    assert not list(tmp_path.iterdir())
