-- Return the members of sorted sets up to a score, each followed by its own.
-- KEYS: the sets
-- ARGV: 1 the score, 2 how many of each set at the most

-- Mostly there is nothing in any: one command tells that.
if redis.call('EXISTS', unpack(KEYS)) == 0 then
    return {}
end
local found = {}
for _, key in ipairs(KEYS) do
    local some = redis.call(
        'ZRANGEBYSCORE', key, '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, ARGV[2])
    for i = 1, #some do
        found[#found + 1] = some[i]
    end
end
return found
