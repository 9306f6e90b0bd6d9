# shellcheck shell=bash
# What the commands of this folder share; it is sourced, not run.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
env_file=${SEEDLOG_ENV_FILE:-$here/.env}
project=${COMPOSE_PROJECT_NAME:-seedlog}
# shellcheck disable=SC2034  # used by those who source this
ready_within_s=120

say() { printf '%s\n' "$*"; }

fail() {
    printf 'deploy/%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Print the comment at the top of the command: its --help.
help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p;}' "$0"; }

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
    docker compose --project-name "$project" --project-directory "$here" \
        --file "$here/compose.yaml" --env-file "$env_file" "$@"
}

need_running() {
    if [ ! -f "$env_file" ] || [ -z "$(compose ps --status running --quiet "$1")" ]; then
        fail 'the stack is not running; start it with deploy/up'
    fi
}

# Print how many containers of a service run and are healthy.
count_healthy() {
    compose ps --format '{{.Health}}' "$1" | grep -c '^healthy$' || true
}

# Print a setting: that of the environment, or that of the file.
get() {
    if [ -n "${!1:-}" ]; then
        say "${!1}"
    elif [ -f "$env_file" ]; then
        sed -n "s/^$1=//p" "$env_file" | tail -n 1
    fi
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

# Make the secrets once: 256 random bits each, in a form that a URL can hold.
make_secrets() {
    local name
    for name in SEEDLOG_SECRET SEEDLOG_SIGNING_KEY SEEDLOG_REDIS_PASSWORD \
        SEEDLOG_QUEUE_PASSWORD; do
        [ -n "$(sed -n "s/^$name=//p" "$env_file" 2>/dev/null)" ] ||
            put "$name" "${!name:-$(od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n')}"
    done
    chmod 600 "$env_file"
    local secret
    secret=$(get SEEDLOG_SECRET)
    [ ${#secret} -ge 32 ] ||
        fail "SEEDLOG_SECRET must have at least 32 characters, not ${#secret};" \
            'without it deploy/up makes one.'
    # They stand as they are in URLs and in the configuration of Redis.
    for name in SEEDLOG_REDIS_PASSWORD SEEDLOG_QUEUE_PASSWORD; do
        [[ ! $(get "$name") =~ [][:space:]@/#?%\"\'\\\$[] ]] ||
            fail "$name stands in a URL, so it must hold none of @ / # ? % [ ] \" ' \\ \$" \
                'and no blank; letters and digits are enough.'
    done
}
