-- Remove the front of the feed of a tenant, and note how far.
-- KEYS: 1 feed, 2 last number of each tenant that was trimmed
-- ARGV: 1 tenant, 2 last number to be removed, 3 the id after it
-- Returns how many entries were removed
-- A full Redis refuses a script whose first write takes room: the note comes second.
local noted = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
local removed = redis.call('XTRIM', KEYS[1], 'MINID', ARGV[3])
if removed > 0 and tonumber(ARGV[2]) > noted then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
end
return removed
