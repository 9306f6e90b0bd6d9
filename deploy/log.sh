# shellcheck shell=bash
# What the event log is made of, as SEEDLOG_LOG says; stack.sh sources it.
# shellcheck disable=SC2154  # stack.sh has set project

kinds='single replicated clustered'

log_kind() {
    local kind
    kind=$(get SEEDLOG_LOG)
    say "${kind:-single}"
}

# Print the services that hold the log. The first ones begin a new log; the others are
# begun as copies.
servers() {
    case $(log_kind) in
    replicated) say redis redis-2 redis-3 ;;
    clustered) say redis redis-2 redis-3 redis-4 redis-5 redis-6 ;;
    *) say redis ;;
    esac
}

beginners() {
    if [ "$(log_kind)" = clustered ]; then say redis redis-2 redis-3; else say redis; fi
}

# Print who lets another server take over; a cluster does so by itself.
sentinels() {
    [ "$(log_kind)" != replicated ] || say sentinel-1 sentinel-2 sentinel-3
}

# Print the volume of a server. Single and replicated share their first one, so that the
# one becomes the other by itself.
volume_of() {
    local number=${1#redis}
    if [ "$(log_kind)" = clustered ]; then
        say "${project}_shard${number:--1}"
    else
        say "${project}_log$number"
    fi
}

has_volume() { docker volume inspect "$1" >/dev/null 2>&1; }

has_log() {
    local server
    for server in $(servers); do
        ! has_volume "$(volume_of "$server")" || return 0
    done
    return 1
}

# Print what log the volumes of this stack are, if any.
found_kind() {
    if has_volume "${project}_shard-1"; then
        say clustered
    elif has_volume "${project}_log-2"; then
        say replicated
    elif has_volume "${project}_log"; then
        say single
    fi
}

# Print the URL of the log, given its password.
log_url() {
    case $(log_kind) in
    replicated)
        say "redis+sentinel://:$1@sentinel-1,sentinel-2,sentinel-3/seedlog/0?sentinel_password=$1"
        ;;
    clustered) say "redis+cluster://:$1@$(servers | tr ' ' ',')" ;;
    *) say "redis://:$1@redis:6379/0" ;;
    esac
}

# Print how many replicas have to hold an event: all that may take over, unless set.
replicas() {
    local wanted
    wanted=$(get SEEDLOG_REPLICAS)
    case $(log_kind) in
    replicated) say "${wanted:-2}" ;;
    clustered) say "${wanted:-1}" ;;
    *) say "${wanted:-0}" ;;
    esac
}

# A log of one kind is not left behind by another: it is moved, or goes on as it is.
check_kind() {
    local wanted found
    wanted=$(log_kind) found=$(found_kind)
    [[ " $kinds " == *" $wanted "* ]] ||
        fail "SEEDLOG_LOG is one of: ${kinds// /, }; not $wanted."
    case $found-$wanted in
    -* | "$wanted-$wanted" | single-replicated) return 0 ;;
    esac
    fail "the event log of this stack is $found, and SEEDLOG_LOG is $wanted. With" \
        "SEEDLOG_LOG=$found: deploy/backup --by-match FILE.tar, deploy/down --volumes;" \
        "then SEEDLOG_LOG=$wanted deploy/restore FILE.tar. Nothing was changed."
}

# The volumes of the event log are marked with an identity, which is kept here, too: one
# that was emptied, lost or taken for another is not served as if all were well. (Before
# any other command of compose: each makes all volumes that it knows.)
check_log() {
    local server
    [ -n "$(kept SEEDLOG_LOG_ID)" ] || return 0
    for server in $(beginners); do
        has_copy_of "$server" ||
            fail "the event log is gone: there is no volume $(volume_of "$server")." \
                'deploy/restore brings back a copy; deploy/down --volumes begins anew.'
    done
}

# Of several volumes, one that is not there is filled by the others.
make_lost() {
    local server lacking=''
    [ -n "$(kept SEEDLOG_LOG_ID)" ] || return 0
    for server in $(servers); do
        has_volume "$(volume_of "$server")" || lacking+=" $server"
    done
    for server in $lacking; do in_redis "$server" adopt copy; done
}

# Tell whether what a server holds is here: with it, or with one that may take over.
has_copy_of() {
    local server
    for server in $(servers_like "$1"); do
        ! has_volume "$(volume_of "$server")" || return 0
    done
    return 1
}

# Print the servers that hold the same.
servers_like() {
    case $(log_kind)-$1 in
    clustered-redis) say redis redis-4 ;;
    clustered-redis-2) say redis-2 redis-5 ;;
    clustered-redis-3) say redis-3 redis-6 ;;
    *) servers ;;
    esac
}

# Mark all volumes as this log: those that begin it, and those that are to be copies.
adopt_log() {
    local server
    [ -n "$(kept SEEDLOG_LOG_ID)" ] || put SEEDLOG_LOG_ID "$(random | cut -c 1-16)"
    for server in $(servers); do
        if [[ " $(beginners) " == *" $server "* ]]; then
            in_redis "$server" adopt
        else
            in_redis "$server" adopt copy
        fi
    done
}

# Run a command of serve-log beside a Redis of the log, or before there is one.
in_redis() {
    local server=$1
    shift
    compose run --rm --no-deps -T "$server" sh /serve-log "$@" </dev/null
}

# Print the server that a copy of all of the log is made of.
master() {
    local server
    if [ "$(log_kind)" != replicated ]; then
        say redis
        return
    fi
    for server in $(servers); do
        [ -z "$(running "$server")" ] || break
    done
    compose exec -T "$server" sh /serve-log master </dev/null
}
