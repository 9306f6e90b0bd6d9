-- Try a lane of an endpoint later: what it holds cannot be told now.
-- KEYS: 1 endpoint, 2 its due lanes, 3 endpoints that are due
-- ARGV: 1 id of the endpoint, 2 lane, 3 when to try again in ms
if redis.call('ZADD', KEYS[2], 'XX', 'GT', 'CH', ARGV[3], ARGV[2]) == 1 then
    local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
    local paused = tonumber(redis.call('HGET', KEYS[1], 'paused_ms') or '0')
    redis.call('ZADD', KEYS[3], math.max(tonumber(first[2]), paused), ARGV[1])
end
