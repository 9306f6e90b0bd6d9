-- Remove a stream for good, and tell the feed that it is no more.
-- KEYS: 1 events, 2 state, 3 feed, 4 due, 5 streams of the partition, 6 alarms
-- ARGV: 1 stream, 2 tenant whose it has to be, 3 what the feed says in place of who is
--       awaited, 4 the command that rings the bell of the feed
-- Returns 1, or 0 if there is no such stream of that tenant
local state = redis.call('HMGET', KEYS[2], 'v', 't')
if not state[1] or state[2] ~= ARGV[2] then
    return 0
end
-- The stream goes first: a full Redis refuses a script whose first write takes room.
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1])
local after = state[1] + 1
redis.call('XADD', KEYS[3], '*',
    's', ARGV[1], 'f', after, 'l', after, 't', ARGV[2], 'w', ARGV[3])
redis.pcall(ARGV[4], KEYS[3], '')
return 1
