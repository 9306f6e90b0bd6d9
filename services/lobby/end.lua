-- End a seek that is still there.
-- KEYS: 1 seeks, 2 until when each lasts, 3 seek of each player
-- ARGV: 1 id, 2 player, 3 if given: only if it has lasted until then, in ms
-- Returns 1 if it was there
local until_ms = redis.call('ZSCORE', KEYS[2], ARGV[1])
if ARGV[3] and until_ms and tonumber(until_ms) > tonumber(ARGV[3]) then
    return 0
end
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('HGET', KEYS[3], ARGV[2]) == ARGV[1] then
    redis.call('HDEL', KEYS[3], ARGV[2])
end
return redis.call('HDEL', KEYS[1], ARGV[1])
