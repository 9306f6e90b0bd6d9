-- Let an analysis wait again: its worker is gone, or gives it back.
-- KEYS: 1 the analysis, 2 those taken, 3 those of the tenant that wait,
--       4 tenants whose turn comes, 5 news, 6 how many turns there were, 7 hints that
--       wait
-- ARGV: 1 id, 2 tenant, 3 now in ms, 4 the worker that gives it back, or '' if nobody
--       has been heard of since a moment before now, 5 its place among those that
--       wait: 0 is that of a hint
-- Returns 1 if it waits
local status, worker, held = unpack(
    redis.call('HMGET', KEYS[1], 'status', 'worker', 'held_ms'))
if status ~= 'waiting' and status ~= 'running' then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return 0
end
if ARGV[4] ~= '' then
    if status ~= 'running' or worker ~= ARGV[4] then
        return 0
    end
    redis.call('HINCRBY', KEYS[1], 'attempts', -1)
elseif tonumber(held or '0') > tonumber(ARGV[3]) then
    return 0
end
redis.call('HSET', KEYS[1], 'status', 'waiting', 'worker', '', 'held_ms', 0)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])
if ARGV[5] == '0' then
    redis.call('ZADD', KEYS[7], ARGV[3], ARGV[1])
end
if not redis.call('ZSCORE', KEYS[4], ARGV[2]) then
    redis.call('ZADD', KEYS[4], redis.call('INCR', KEYS[6]), ARGV[2])
end
redis.call('XADD', KEYS[5], 'MAXLEN', '~', 1000, '*', 'id', ARGV[1], 'version', 0)
return 1
