-- Count a match in that is being opened, unless its tenant has too many.
-- KEYS: 1 rows of the list, 2 the tenant's matches that are open, 3 those that run,
--       4 those on their way: opened, and not in the list yet, by when that was
-- ARGV: 1 match, 2 how many there may be, 3 now in ms, 4 how long one may be on its way,
--       5 how many of those on their way are looked at, the oldest ones
-- Returns {1 if it has a place or else 0, how many there are without it, how many of
-- those that were looked at are in the list by now}
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[3] - ARGV[4])
local listed = 0
for _, match in ipairs(redis.call('ZRANGE', KEYS[4], 0, ARGV[5] - 1)) do
    if redis.call('HEXISTS', KEYS[1], match) == 1 then
        listed = listed + redis.call('ZREM', KEYS[4], match)
    end
end
local on_their_way = redis.call('ZCARD', KEYS[4])
if redis.call('ZSCORE', KEYS[4], ARGV[1]) then
    on_their_way = on_their_way - 1
end
local used = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) + on_their_way
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
    return {1, used, listed}
end
if used >= tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[4], ARGV[1])
    return {0, used, listed}
end
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[4], ARGV[4])
return {1, used, listed}
