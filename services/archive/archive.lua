-- Replace a stream by its place in the archive, if it is still as it was archived.
-- KEYS: 1 events, 2 state, 3 streams of the partition, 4 due, 5 archive index
-- ARGV: 1 stream, 2 version, 3 head hash, 4 place
-- Returns 1, or 0 if the stream has changed or is gone
local state = redis.call('HMGET', KEYS[2], 'v', 'h')
if state[1] ~= ARGV[2] or state[2] ~= ARGV[3] then
    return 0
end
-- A full Redis refuses a script whose first write takes room, and no write after one
-- that gives room: so the stream goes first. The read fails on a key of another kind
-- before anything is gone.
redis.call('HEXISTS', KEYS[5], ARGV[1])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('HSET', KEYS[5], ARGV[1], ARGV[4])
return 1
