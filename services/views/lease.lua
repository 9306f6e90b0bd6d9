-- Take, keep, use or give back the lease of a view: the right to rebuild it.
-- KEYS: 1 lease, 2 how many generations were made, 3 present generation
-- ARGV: 1 'take', 'keep', 'use' or 'give back', 2 token of the one who asks,
--       3 life of the lease in ms, 4 its holder in words, 5 name of the first generation
-- Returns JSON: {"generation": ...}, or {"holder": ..., "left_ms": ...} of whoever has it
local token = redis.call('HGET', KEYS[1], 'token')
if ARGV[1] == 'take' and not token then
    local generation = ARGV[5] .. '.' .. redis.call('INCR', KEYS[2])
    token = ARGV[2]
    redis.call('HSET', KEYS[1], 'token', token, 'holder', ARGV[4],
        'generation', generation)
end
if token ~= ARGV[2] then
    local holder = redis.call('HGET', KEYS[1], 'holder')
    return cjson.encode({holder = holder or '', left_ms = redis.call('PTTL', KEYS[1])})
end
local generation = redis.call('HGET', KEYS[1], 'generation')
if ARGV[1] == 'give back' then
    redis.call('DEL', KEYS[1])
    return cjson.encode({generation = generation})
end
if ARGV[1] == 'use' then
    redis.call('SET', KEYS[3], generation)
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return cjson.encode({generation = generation})
