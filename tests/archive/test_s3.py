"""An archive in object storage: the same to readers, and refused while it is away."""

from collections.abc import Iterator

import pytest

from services.cli.redis_server import free_port
from services.eventlog import LogUnavailable
from services.eventlog.connection import Connections
from tests.support.archived import HOUR, World

WHERE = "s3://bucket/archive"

pytest.importorskip("s3fs", reason="the driver of s3:// (the extra s3) is missing")
moto = pytest.importorskip("moto.server", reason="moto, which serves S3, is missing")


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Run a server of object storage; the driver is told of it as an operator would."""
    import s3fs

    server = moto.ThreadedMotoServer("127.0.0.1", port=free_port())
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().makedirs("bucket", exist_ok=True)
    yield server
    server.stop()


@pytest.mark.usefixtures("storage")
def test_matches_in_object_storage_are_read_as_if_nothing_had_moved(
    real_redis: str,
) -> None:
    Connections(real_redis).call("FLUSHALL")
    world = World(real_redis, WHERE)
    names = [world.play(number) for number in range(20)]
    before = {name: world.log.read(name) for name in names}
    world.now += HOUR

    assert world.archiver().run_once() == len(names)

    other = world.fresh()
    assert {name: other.log.read(name) for name in names} == before
    assert other.archive.count() == len(names)


def test_while_it_is_away_nothing_moves_and_nothing_is_lost(
    real_redis: str, storage: object
) -> None:
    Connections(real_redis).call("FLUSHALL")
    world = World(real_redis, WHERE)
    cold = [world.play(number) for number in range(10)]
    before = {name: world.log.read(name) for name in cold}
    world.now += HOUR
    world.archiver().run_once()
    hot = [world.play(number) for number in range(10, 20)]
    world.now += HOUR
    storage.stop()

    with pytest.raises(LogUnavailable):
        world.archiver().run_once()
    with pytest.raises(LogUnavailable):
        world.fresh().log.read(cold[0])
    live = {name: world.log.read(name) for name in hot}

    storage.start()
    other = world.fresh()
    other.now = world.now
    assert other.archiver().run_once() == len(hot)
    assert {name: other.log.read(name) for name in (*cold, *hot)} == before | live
