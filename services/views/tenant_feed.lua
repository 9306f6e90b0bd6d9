-- Number events of matches in the feeds of their tenants, each event once.
-- KEYS: 1 version of each match that was told, 2 cursors, 3 last number of each tenant,
--       4 last number of each tenant that was trimmed, 5 bell,
--       then the feed of each tenant that is named
-- ARGV: 1 number before the first one, 2 how many matches,
--       then place of the tenant among the feeds, tenant, match, version of each match
--       (version 0: it is not told, and the feed begins after it; below: it is no more),
--       then partition and cursor of each cursor
-- Returns how many events were numbered
local told = 0
local at = 3
for _ = 1, tonumber(ARGV[2]) do
    local feed, tenant = KEYS[5 + tonumber(ARGV[at])], ARGV[at + 1]
    local match, version = ARGV[at + 2], tonumber(ARGV[at + 3])
    at = at + 4
    local last = tonumber(redis.call('HGET', KEYS[1], match) or '0')
    if version < 0 then
        redis.call('HDEL', KEYS[1], match)
    elseif version == 0 then
        redis.call('HSETNX', KEYS[3], tenant, ARGV[1])
        redis.call('HSETNX', KEYS[4], tenant, ARGV[1])
    elseif version > last then
        redis.call('HSETNX', KEYS[3], tenant, ARGV[1])
        for v = last + 1, version do
            local number = redis.call('HINCRBY', KEYS[3], tenant, 1)
            redis.call('XADD', feed, string.format('%.0f-0', number),
                'm', match, 'v', v)
        end
        redis.call('HSET', KEYS[1], match, version)
        told = told + version - last
    end
end
for i = at, #ARGV, 2 do
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
if told > 0 then
    redis.call('XADD', KEYS[5], 'MAXLEN', 1, '*', 'n', told)
end
return told
