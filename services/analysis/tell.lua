-- Record what is known of an analysis, or how it ended.
-- KEYS: 1 the analysis, 2 its events, 3 news, 4 those taken, 5 those of the tenant that
--       have not ended, 6 those that wait, 7 those of the match that tokens have asked
--       for and that have not ended, 8 the analysis of the same question, 9 those of the
--       tenant that have ended
-- ARGV: 1 id, 2 the worker, or '' for whoever is not one, 3 type, 4 data, 5 now in ms,
--       6 the status that it ends with, or '', 7 why it failed, or '', 8 how many that
--       have ended are kept, 9 what the keys of an analysis begin with, 10 what those of
--       events begin with, 11 the version that it had before, if whoever tells knows that,
--       or '': told again, for the reply was lost, it is not recorded again
-- Returns the version that it has then, or 0 if it has ended before or is another's
local status, worker = unpack(redis.call('HMGET', KEYS[1], 'status', 'worker'))
if status ~= 'waiting' and status ~= 'running' then
    return 0
end
if ARGV[2] ~= '' and (status ~= 'running' or worker ~= ARGV[2]) then
    return 0
end
local before = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if ARGV[11] ~= '' and before > tonumber(ARGV[11]) then
    return before
end
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
local left_ms = redis.call('PTTL', KEYS[1])
redis.call('XADD', KEYS[2], version .. '-0', 'type', ARGV[3], 'at', ARGV[5],
    'data', ARGV[4])
redis.call('PEXPIRE', KEYS[2], left_ms)
if ARGV[6] ~= '' then
    redis.call('HSET', KEYS[1], 'status', ARGV[6], 'ended_ms', ARGV[5],
        'failed_for', ARGV[7])
    for i = 4, 7 do
        redis.call('ZREM', KEYS[i], ARGV[1])
    end
    if ARGV[6] ~= 'finished' and redis.call('GET', KEYS[8]) == ARGV[1] then
        redis.call('DEL', KEYS[8])
    end
    redis.call('ZADD', KEYS[9], ARGV[5], ARGV[1])
    redis.call('PEXPIRE', KEYS[9], left_ms)
    local surplus = redis.call('ZCARD', KEYS[9]) - ARGV[8]
    if surplus > 0 then
        for _, id in ipairs(redis.call('ZRANGE', KEYS[9], 0, surplus - 1)) do
            redis.call('DEL', ARGV[9] .. id, ARGV[10] .. id)
        end
        redis.call('ZREMRANGEBYRANK', KEYS[9], 0, surplus - 1)
    end
end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'id', ARGV[1], 'version', version)
return version
