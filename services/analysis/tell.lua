-- Record what is known of an analysis, or how it ended.
-- KEYS: 1 the analysis, 2 its events, 3 news, 4 those taken, 5 those of the tenant that
--       have not ended, 6 those that wait, 7 those of the match that tokens have asked
--       for and that have not ended, 8 the analysis of the same question
-- ARGV: 1 id, 2 the worker, or '' for whoever is not one, 3 type, 4 data, 5 now in ms,
--       6 the status that it ends with, or '', 7 why it failed, or ''
-- Returns the version that it has then, or 0 if it has ended before or is another's
local status, worker = unpack(redis.call('HMGET', KEYS[1], 'status', 'worker'))
if status ~= 'waiting' and status ~= 'running' then
    return 0
end
if ARGV[2] ~= '' and (status ~= 'running' or worker ~= ARGV[2]) then
    return 0
end
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('XADD', KEYS[2], version .. '-0', 'type', ARGV[3], 'at', ARGV[5],
    'data', ARGV[4])
redis.call('PEXPIREAT', KEYS[2], redis.call('HGET', KEYS[1], 'until_ms'))
if ARGV[6] ~= '' then
    redis.call('HSET', KEYS[1], 'status', ARGV[6], 'ended_ms', ARGV[5],
        'failed_for', ARGV[7])
    redis.call('ZREM', KEYS[4], ARGV[1])
    for i = 5, 7 do
        redis.call('ZREM', KEYS[i], ARGV[1])
    end
    if ARGV[6] ~= 'finished' and redis.call('GET', KEYS[8]) == ARGV[1] then
        redis.call('DEL', KEYS[8])
    end
end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', 1000, '*', 'id', ARGV[1], 'version', version)
return version
