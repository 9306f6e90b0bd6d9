-- Record an attempt, and what follows from it: the next one, or the next delivery.
-- KEYS: 1 endpoint, 2 its due lanes, 3 its deliveries, 4 all of their numbers,
--       5 those that are settled, 6 the queue of the lane, 7 endpoints that are due
-- ARGV: 1 id of the endpoint, 2 lane, 3 number, 4 the delivery as it is now,
--       5 when to try again in ms, or '' if it is settled, 6 now in ms,
--       7 whether it was delivered (1) or not (0), or was not even tried ('')
-- Returns whether the delivery was the next of its lane; if not, nothing was changed
if redis.call('LINDEX', KEYS[6], 0) ~= ARGV[3] then
    return 0
end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
if ARGV[7] == '1' then
    redis.call('HDEL', KEYS[1], 'failing_since_ms', 'paused_ms')
    redis.call('HSET', KEYS[1], 'delivered_ms', ARGV[6])
elseif ARGV[7] == '0' then
    redis.call('HSETNX', KEYS[1], 'failing_since_ms', ARGV[6])
end
if ARGV[5] ~= '' then
    redis.call('ZADD', KEYS[2], ARGV[5], ARGV[2])
else
    redis.call('LPOP', KEYS[6])
    redis.call('ZADD', KEYS[5], ARGV[6], ARGV[3])
    if redis.call('EXISTS', KEYS[6]) == 1 then
        redis.call('ZADD', KEYS[2], ARGV[6], ARGV[2])
    else
        redis.call('ZREM', KEYS[2], ARGV[2])
    end
end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if first[1] then
    local paused = tonumber(redis.call('HGET', KEYS[1], 'paused_ms') or '0')
    redis.call('ZADD', KEYS[7], math.max(tonumber(first[2]), paused), ARGV[1])
else
    redis.call('ZREM', KEYS[7], ARGV[1])
end
return 1
