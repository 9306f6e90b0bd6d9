-- Count a request, unless it was counted before or there were as many as may be.
-- KEYS: 1 the counter of this window, 2 that of the window before,
--       3 the record that it was counted (only if it may be repeated)
-- ARGV: 1 how many there may be, 2 how much of the window before counts, from 0 to 1,
--       3 life of the counter in s, 4 life of the record in s
-- Returns {1 if it is counted or else 0, how many there were in this window, and before}
local counted = tonumber(redis.call('GET', KEYS[1]) or '0')
local before = tonumber(redis.call('GET', KEYS[2]) or '0')
if KEYS[3] and redis.call('EXISTS', KEYS[3]) == 1 then
    return {1, counted, before}
end
if counted + 1 + before * tonumber(ARGV[2]) > tonumber(ARGV[1]) then
    return {0, counted, before}
end
redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
if KEYS[3] then
    redis.call('SET', KEYS[3], '1', 'EX', ARGV[4])
end
return {1, counted + 1, before}
