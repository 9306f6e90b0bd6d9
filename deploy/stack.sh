# shellcheck shell=bash
# What the commands of this folder share; it is sourced, not run.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
env_file=${SEEDLOG_ENV_FILE:-$here/.env}
case $env_file in
/*) ;;
*) env_file=$PWD/$env_file ;;
esac
project=${COMPOSE_PROJECT_NAME:-seedlog}
# shellcheck source=deploy/log.sh
. "$here/log.sh"
ready_within_s=240 # on a busy host; what dies is told of at once
mended_within_s=60 # who was ill because another was away

# What one release of Seedlog is made of; the rest has releases of its own.
# shellcheck disable=SC2034  # used by those who source this
apps='api stream projector archiver dispatcher ai-worker analysis-worker webhook-worker'

# These read all settings between them.
readers='api stream archiver ai-worker analysis-worker webhook-worker'

# What clients reach the stack by: it must not depend on who calls `deploy/up`.
# shellcheck disable=SC2034
address='SEEDLOG_BIND SEEDLOG_PORT SEEDLOG_STREAM_PORT SEEDLOG_SITE SEEDLOG_TLS
    SEEDLOG_SITE_BIND SEEDLOG_HTTP_PORT SEEDLOG_HTTPS_PORT'

export SEEDLOG_SECRETS=$env_file.secrets

say() { printf '%s\n' "$*"; }

# Say what takes its time now.
step() { say "$*" >&2; }

fail() {
    printf 'deploy/%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Print the comment at the top of the command: its --help.
help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p;}' "$0"; }

# Let a command that needs to be told nothing be told nothing.
takes_nothing() {
    case ${1:-} in
    '') ;;
    -h | --help) help && exit ;;
    *) fail "it knows --help, not $1" ;;
    esac
}

need_docker() {
    command -v docker >/dev/null 2>&1 ||
        fail 'docker is not installed. (make up runs Seedlog without it.)'
    docker compose version >/dev/null 2>&1 ||
        fail 'Docker Compose is not installed: docker compose version fails.'
    local version
    version=$(docker version --format '{{.Server.Version}}' 2>/dev/null) ||
        fail 'no Docker engine answers; is it running, and may you use it? Try: docker info'
    [ "${version%%.*}" -ge 25 ] 2>/dev/null ||
        fail "Docker Engine 25 or newer is needed; this is $version."
}

compose() {
    local files=(--file "$here/compose.yaml")
    [ -z "$(get SEEDLOG_SITE)" ] || files+=(--file "$here/compose.site.yaml")
    ! has_stream_port || files+=(--file "$here/compose.streams.yaml")
    [ "$(log_kind)" = single ] || files+=(--file "$here/compose.$(log_kind).yaml")
    [ ! -f "$here/compose.override.yaml" ] || files+=(--file "$here/compose.override.yaml")
    [ -z "${from_sources:-}" ] || files+=(--file "$here/compose.check.yaml")
    SEEDLOG_REPLICAS=$(replicas) TRACE_ATTRIBUTES=$(get OTEL_RESOURCE_ATTRIBUTES) \
        docker compose --project-name "$project" --project-directory "$here" \
        "${files[@]}" --env-file "$env_file" "$@"
}

has_stream_port() {
    [ -n "$(get SEEDLOG_STREAM_PORT)" ] || [[ $(get SEEDLOG_STREAM_URL) == http* ]]
}

# Let no other command of this stack change it meanwhile.
alone() {
    local lock=$env_file.busy other
    [ -d "${env_file%/*}" ] || fail "there is no folder ${env_file%/*} (SEEDLOG_ENV_FILE)."
    [ -w "${env_file%/*}" ] ||
        fail "the folder ${env_file%/*} cannot be written to (SEEDLOG_ENV_FILE)."
    [ ! -e "$env_file" ] || [ -f "$env_file" ] ||
        fail "$env_file is no file (SEEDLOG_ENV_FILE)."
    if ! (set -o noclobber && echo $$ >"$lock") 2>/dev/null; then
        other=$(cat "$lock" 2>/dev/null || true)
        ! kill -0 "${other:-0}" 2>/dev/null ||
            fail "another command of deploy is at work (process $other); wait for it."
        echo $$ >"$lock"
    fi
    kept_file=$env_file
    trap tidy EXIT
    trap 'exit 1' HUP INT TERM
}

# Leave nothing that was for this command alone.
tidy() {
    [ -z "${tried:-}" ] || end_tries
    rm -rf "$kept_file".{draft,draft.secrets,busy}
}

need_running() {
    if [ ! -f "$env_file" ] || [ -z "$(compose ps --status running --quiet "$1")" ]; then
        fail 'the stack is not running; start it with deploy/up'
    fi
}

# Print how many containers of services run and are healthy.
count_healthy() {
    compose ps --format '{{.Health}}' "$@" | grep -c '^healthy$' || true
}

# Print a setting: that of the environment, or that of the file.
get() {
    if [ -n "${!1:-}" ]; then
        say "${!1}"
    else
        kept "$1"
    fi
}

# Print a setting of the file. It is asked for so often that no process is started for it.
kept() {
    local line value=
    [ -f "$env_file" ] || return 0
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line != "$1="* ]] || value=${line#*=}
    done <"$env_file"
    say "$value"
}

# Write a setting into the file, which its owner alone can read, whole or not at all.
put() {
    local draft=$env_file.$$
    (
        umask 077
        {
            if [ -f "$env_file" ]; then
                grep -v "^$1=" "$env_file" || true
            else
                say '# Made by deploy/up. Keep it, and keep it secret: whoever has it'
                say '# can play for everybody, and without it seat tokens are void.'
            fi
            say "$1=$2"
        } >"$draft"
    )
    mv "$draft" "$env_file"
}

# Keep what the environment says of these settings: it is for good, not for one call.
remember() {
    local name
    for name; do
        [ -z "${!name:-}" ] || [ "${!name}" = "$(kept "$name")" ] || put "$name" "${!name}"
    done
}

# From here on, settings are those of a draft: what is refused leaves the file as it was.
begin_draft() {
    env_file=$kept_file.draft
    SEEDLOG_SECRETS=$env_file.secrets
    [ ! -f "$kept_file" ] || (umask 077 && cp "$kept_file" "$env_file")
}

# What the draft says holds.
keep_draft() {
    rm -rf "$SEEDLOG_SECRETS"
    mv "$env_file" "$kept_file"
    env_file=$kept_file SEEDLOG_SECRETS=$kept_file.secrets
    write_secrets
}

# Make the secrets once: 256 random bits each, in a form that a URL can hold.
make_secrets() {
    local name
    for name in SEEDLOG_SECRET SEEDLOG_SIGNING_KEY SEEDLOG_REDIS_PASSWORD \
        SEEDLOG_QUEUE_PASSWORD; do
        [ -n "$(kept "$name")" ] || put "$name" "${!name:-$(random)}"
    done
    chmod 600 "$env_file"
    # They stand as they are in URLs and in the configuration of Redis.
    for name in SEEDLOG_REDIS_PASSWORD SEEDLOG_QUEUE_PASSWORD; do
        [[ ! $(get "$name") =~ [][:space:]@/#?%\"\'\\\$[] ]] ||
            fail "$name stands in a URL, so it must hold none of @ / # ? % [ ] \" ' \\ \$" \
                'and no blank; letters and digits are enough.'
    done
    write_secrets
}

random() { od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'; }

# Write each secret into a file: containers see it there and `docker inspect` nowhere.
# Others cannot enter the folder; the files are read by the users of the containers.
write_secrets() {
    local redis queue
    redis=$(get SEEDLOG_REDIS_PASSWORD) queue=$(get SEEDLOG_QUEUE_PASSWORD)
    mkdir -p "$SEEDLOG_SECRETS"
    chmod 700 "$SEEDLOG_SECRETS"
    write_secret redis_password "$redis"
    write_secret queue_password "$queue"
    write_secret redis_url "$(log_url "$redis")"
    write_secret queue_url "redis://:$queue@queue:6379/0"
    write_secret secret "$(get SEEDLOG_SECRET)"
    write_secret signing_key "$(get SEEDLOG_SIGNING_KEY)"
    write_secret otlp_headers "$(get OTEL_EXPORTER_OTLP_HEADERS)" # empty: no such secret
    SEEDLOG_SECRETS_DIGEST=$(cat "$SEEDLOG_SECRETS"/* | digest)
    export SEEDLOG_SECRETS_DIGEST
    [ "$(kept SEEDLOG_SECRETS_DIGEST)" = "$SEEDLOG_SECRETS_DIGEST" ] ||
        put SEEDLOG_SECRETS_DIGEST "$SEEDLOG_SECRETS_DIGEST"
}

# In place: a container has the file itself.
write_secret() {
    local file=$SEEDLOG_SECRETS/$1
    [ -f "$file" ] && [ "$(cat "$file")" = "$2" ] || printf '%s\n' "$2" >"$file"
    chmod 444 "$file"
}

digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi |
        cut -d ' ' -f 1
}

build_image() {
    local told
    SEEDLOG_VERSION=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/../pyproject.toml")
    SEEDLOG_REVISION=$(git -C "$here" describe --always --dirty --abbrev=40 --exclude '*' \
        2>/dev/null || true)
    export SEEDLOG_VERSION SEEDLOG_REVISION
    told=$(mktemp)
    if ! BUILDKIT_PROGRESS=plain compose build "$@" 2>&1 | tee "$told" | tell_stages >&2; then
        tail -n 30 "$told" >&2
        rm -f "$told"
        fail 'it cannot be built; see above. What ran goes on as it was.'
    fi
    rm -f "$told"
}

# Print a line for each stage of a build as it begins, from what the builder tells.
tell_stages() {
    awk '/^#[0-9]+ \[.* [0-9]+\/[0-9]+\] / && !told[$0]++ {
        sub(/^#[0-9]+ /, ""); gsub(/ +/, " "); print "  " substr($0, 1, 88); fflush() }'
}

# Print what images are built on, which has Python and no more.
base_image() {
    local named
    named=$(get PYTHON_IMAGE)
    say "${named:-$(sed -n 's/^ARG PYTHON_IMAGE=//p' "$here/Dockerfile")}"
}

# Print the image of the release that runs, or is to run.
release_image() {
    local name tag
    name=$(get SEEDLOG_IMAGE) tag=$(get SEEDLOG_TAG)
    say "${name:-seedlog}:${tag:-local}"
}

need_image() {
    docker image inspect "$1" >/dev/null 2>&1 || docker pull --quiet "$1" >/dev/null ||
        fail "there is no image $1."
}

# What is set can be used: by the sources, before there is an image.
check_sources() {
    local process
    for process in $readers; do
        PYTHON_IMAGE=$(base_image) from_sources=yes try "$process" || refuse_settings
    done
    end_tries # the image finds a volume of its own
}

# By the image, for these processes; it also knows its drivers, its keys and its games.
check_image() {
    local process
    for process; do
        try "$process" check >/dev/null || refuse_settings
    done
    end_tries
}

refuse_settings() {
    fail 'a setting cannot be used; see above. What ran goes on as it was.'
}

# Run a service once, apart: compose makes all volumes and networks that it knows, and of
# this stack nothing may come before all is well.
try() {
    tried=yes
    project=$project-try compose --progress quiet run --rm --no-deps --quiet-pull -T "$@" </dev/null
}

end_tries() {
    project=$project-try compose down --volumes --remove-orphans >/dev/null 2>&1 || true
    tried=
}

# Print the containers of services that run.
running() { compose ps --quiet "$@"; }

# Start what is to run, and wait until all of it is healthy. Compose gives up on the first
# container that is not, such as an API whose Redis was exchanged a moment ago: as long as
# nothing has died, it is asked again.
start() {
    local until=$((SECONDS + mended_within_s))
    until compose up --detach --no-build --wait --wait-timeout "$ready_within_s" "$@"; do
        { [ "$SECONDS" -lt "$until" ] && only_ill; } || return 1
        step 'Not all of it is healthy yet; waiting once more ...'
        sleep 2
    done
}

# Is there a container that is unhealthy, and none that has died?
only_ill() {
    local states
    states=$(compose ps --all --format '{{.State}} {{.Health}}') || return 1
    case $states in
    *exited* | *dead* | *restarting*) return 1 ;;
    *unhealthy*) return 0 ;;
    *) return 1 ;;
    esac
}

# Wait until new containers are healthy; fail as soon as one of them has died.
wait_healthy() {
    local until=$((SECONDS + ready_within_s)) states
    while [ "$SECONDS" -lt "$until" ]; do
        states=$(docker inspect --format \
            '{{.State.Status}} {{.State.Health.Status}} {{.RestartCount}}.' "$@")
        case $states in
        *exited* | *dead* | *unhealthy* | *' '[1-9]*.*) return 1 ;;
        *starting* | *created*) sleep 0.5 ;; # restarting, too
        *) return 0 ;;
        esac
    done
    return 1
}

# Print where the API is reached on this host.
public_url() {
    local place
    place=$(compose port proxy 8000)
    say "http://${place/#0.0.0.0:/127.0.0.1:}"
}

# Play a match at an address as any client would: from outside, by the published port.
play() {
    local image
    image=$(docker inspect --format '{{.Image}}' "$(running api | tail -n 1)")
    SEEDLOG_KEY=$(get SEEDLOG_API_KEY) docker run --rm --network host --env SEEDLOG_KEY \
        --read-only --cap-drop ALL --security-opt no-new-privileges "${@:2}" \
        "$image" demo --quiet --game kalah --url "$1" </dev/null
}

# Print the setting that says how many containers of a service there are, if any does.
number_of() {
    case $1 in
    api) say SEEDLOG_API_CONTAINERS ;;
    stream) say SEEDLOG_STREAM_CONTAINERS ;;
    projector) say SEEDLOG_PROJECTORS ;;
    archiver) say SEEDLOG_ARCHIVERS ;;
    dispatcher) say SEEDLOG_DISPATCHERS ;;
    ai-worker) say SEEDLOG_AI_WORKERS ;;
    analysis-worker) say SEEDLOG_ANALYSIS_WORKERS ;;
    webhook-worker) say SEEDLOG_WEBHOOK_WORKERS ;;
    esac
}
