-- Give two seeks to each other, if both still last.
-- KEYS: 1 seeks, 2 until when each lasts, 3 seek of each player,
--       4 and 5 what they found, 6 and 7 the seek by which each player was paired
-- ARGV: 1 and 2 their ids, 3 and 4 the player of each, 5 the pairing,
--       6 now in ms, 7 life of what they found in s, 8 life of having been paired in s
-- Returns 1 if it was done
for i = 1, 2 do
    local until_ms = redis.call('ZSCORE', KEYS[2], ARGV[i])
    if not until_ms or tonumber(until_ms) <= tonumber(ARGV[6]) then
        return 0
    end
    if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 0 then
        return 0
    end
end
for i = 1, 2 do
    redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('ZREM', KEYS[2], ARGV[i])
    redis.call('HDEL', KEYS[3], ARGV[2 + i])
    redis.call('SET', KEYS[3 + i], ARGV[5], 'EX', ARGV[7])
    redis.call('SET', KEYS[5 + i], ARGV[i], 'EX', ARGV[8])
end
return 1
