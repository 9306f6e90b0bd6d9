-- Let a worker think about an analysis, unless it has ended or another one does.
-- KEYS: 1 the analysis, 2 those taken, 3 hints that wait
-- ARGV: 1 id, 2 the worker, 3 now in ms, 4 until when it is believed to live in ms,
--       5 what the keys of those that wait begin with
-- Returns 1 if it may
local status, held, tenant = unpack(
    redis.call('HMGET', KEYS[1], 'status', 'held_ms', 'tenant'))
redis.call('ZREM', KEYS[3], ARGV[1])
if status == 'running' and tonumber(held or '0') > tonumber(ARGV[3]) then
    return 0
end
if status ~= 'waiting' and status ~= 'running' then
    redis.call('ZREM', KEYS[2], ARGV[1])
    return 0
end
redis.call('HSET', KEYS[1], 'status', 'running', 'worker', ARGV[2], 'held_ms', ARGV[4])
redis.call('HINCRBY', KEYS[1], 'attempts', 1)
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
redis.call('ZREM', ARGV[5] .. tenant, ARGV[1])
return 1
