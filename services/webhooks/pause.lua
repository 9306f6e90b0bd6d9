-- Leave an endpoint alone for a time, whatever is due.
-- KEYS: 1 endpoint, 2 endpoints that are due
-- ARGV: 1 id of the endpoint, 2 until when in ms
if redis.call('EXISTS', KEYS[1]) == 1 then
    redis.call('HSET', KEYS[1], 'paused_ms', ARGV[2])
    redis.call('ZADD', KEYS[2], 'XX', 'GT', ARGV[2], ARGV[1])
end
