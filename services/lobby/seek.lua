-- Let somebody seek, or find out what became of it. One player has one seek: the newest.
-- KEYS: 1 seeks, 2 until when each lasts, 3 seek of each player, 4 what this one found,
--       5 the seek by which this player was paired just now
-- ARGV: 1 id, 2 the seek, 3 until when it lasts in ms, 4 player,
--       5 how many there may be, 6 for how many s all of it is kept
-- Returns {'found'} | {'known', seek} | {'paired', id of the earlier seek} | {'new'}
--       | {'full', how many there are}
if redis.call('EXISTS', KEYS[4]) == 1 then
    return {'found'}
end
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known then
    redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
    return {'known', known}
end
local paired = redis.call('GET', KEYS[5])
if paired then
    return {'paired', paired}
end
local earlier = redis.call('HGET', KEYS[3], ARGV[4])
if earlier then
    redis.call('HDEL', KEYS[1], earlier)
    redis.call('ZREM', KEYS[2], earlier)
end
local used = redis.call('HLEN', KEYS[1])
if used >= tonumber(ARGV[5]) then
    return {'full', used}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[3], ARGV[4], ARGV[1])
for i = 1, 3 do
    redis.call('EXPIRE', KEYS[i], ARGV[6])
end
return {'new'}
