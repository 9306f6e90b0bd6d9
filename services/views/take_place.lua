-- Count a match in that is being opened, unless its tenant has too many.
-- KEYS: 1 rows of the list, 2 the tenant's matches that are open, 3 those that run,
--       4 those on their way: opened, and not in the list yet, by when that was
-- ARGV: 1 match, 2 how many there may be, 3 now in ms, 4 how long one may be on its way
-- Returns {1 if it has a place or else 0, how many there are without it}
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[3] - ARGV[4])
local on_their_way = 0
for _, match in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
    if redis.call('HEXISTS', KEYS[1], match) == 1 then
        redis.call('ZREM', KEYS[4], match)
    elseif match ~= ARGV[1] then
        on_their_way = on_their_way + 1
    end
end
local used = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) + on_their_way
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
    return {1, used}
end
if used >= tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[4], ARGV[1])
    return {0, used}
end
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[4], ARGV[4])
return {1, used}
