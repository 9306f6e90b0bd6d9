-- Say that a worker lives, and thinks about an analysis.
-- KEYS: 1 the analysis, 2 those taken
-- ARGV: 1 id, 2 the worker, 3 until when it is believed to live in ms
-- Returns 1 if it is still its own
local status, worker = unpack(redis.call('HMGET', KEYS[1], 'status', 'worker'))
if status ~= 'running' or worker ~= ARGV[2] then
    return 0
end
redis.call('HSET', KEYS[1], 'held_ms', ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
