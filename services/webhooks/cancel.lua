-- Disable an endpoint: what waits for it is settled without having been sent.
-- KEYS: 1 endpoint, 2 its due lanes, 3 its settled deliveries, 4 endpoints that are due
-- ARGV: 1 id, 2 reason, 3 now in ms, 4 beginning of the keys of its queues
-- Returns how many deliveries were canceled
if redis.call('EXISTS', KEYS[1]) == 0 then
    return 0
end
local canceled = 0
for _, lane in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local queue = ARGV[4] .. lane
    for _, number in ipairs(redis.call('LRANGE', queue, 0, -1)) do
        redis.call('ZADD', KEYS[3], ARGV[3], number)
        canceled = canceled + 1
    end
    redis.call('DEL', queue)
end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('HSET', KEYS[1], 'status', 'disabled', 'reason', ARGV[2],
    'disabled_ms', ARGV[3])
return canceled
