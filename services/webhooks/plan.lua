-- Plan the deliveries of one entry of the feed to one endpoint, once.
-- KEYS: 1 endpoint, 2 its lanes, 3 its matches that are over, 4 its due lanes,
--       5 its deliveries, 6 all of their numbers, 7 those that are settled,
--       8 the queue of the lane, 9 endpoints that are due
-- ARGV: 1 id of the endpoint, 2 match, 3 last version of the entry, 4 now in ms,
--       5 whether the match is over (1), 6 how many deliveries may wait,
--       then type and version of each delivery, in order
-- Returns how many were planned, or -1 if too many wait
if redis.call('HGET', KEYS[1], 'status') ~= 'enabled' then
    return 0
end
local planned, sequence = 0, 0
local lane = redis.call('HGET', KEYS[2], ARGV[2])
if lane then
    local first, second = string.match(lane, '^(%d+) (%d+)$')
    planned, sequence = tonumber(first), tonumber(second)
end
if tonumber(ARGV[3]) <= planned then
    return 0
end
local waiting = redis.call('ZCARD', KEYS[6]) - redis.call('ZCARD', KEYS[7])
if waiting >= tonumber(ARGV[6]) then
    return -1
end
local count = 0
for at = 7, #ARGV, 2 do
    if tonumber(ARGV[at + 1]) > planned then
        sequence = sequence + 1
        local number = redis.call('HINCRBY', KEYS[1], 'number', 1)
        redis.call('HSET', KEYS[5], number, string.format(
            '{"type":"%s","match":"%s","version":%s,"sequence":%d,"created_ms":%s}',
            ARGV[at], ARGV[2], ARGV[at + 1], sequence, ARGV[4]))
        redis.call('ZADD', KEYS[6], number, number)
        redis.call('RPUSH', KEYS[8], number)
        count = count + 1
    end
end
redis.call('HSET', KEYS[2], ARGV[2], string.format('%s %d', ARGV[3], sequence))
if ARGV[5] == '1' then
    redis.call('ZADD', KEYS[3], ARGV[4], ARGV[2])
end
if count > 0 then
    redis.call('ZADD', KEYS[4], 'NX', ARGV[4], ARGV[2])
    local first = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
    local paused = tonumber(redis.call('HGET', KEYS[1], 'paused_ms') or '0')
    redis.call('ZADD', KEYS[9], math.max(tonumber(first[2]), paused), ARGV[1])
end
return count
