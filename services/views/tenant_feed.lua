-- Number events of matches in the feeds of their tenants, each event once.
-- KEYS: 1 version of each match that was told, 2 cursors, 3 last number of each tenant,
--       4 last number of each tenant that was trimmed, 5 bell, 6 mark of a build,
--       then the feed of each tenant that is named
-- ARGV: from where to where (see step.lua), then number before the first one,
--       then place of the tenant among the feeds, tenant, match, version of each match
--       (version 0: it is not told, and the feed begins after it; below: it is no more)
-- Returns how many events were numbered, or -1 if a cursor is not the one that was seen
if not is_where_it_was(KEYS[2], KEYS[6]) then
    return -1
end
local told, before_first = 0, ARGV[after_step]
for at = after_step + 1, #ARGV, 4 do
    local feed, tenant = KEYS[6 + tonumber(ARGV[at])], ARGV[at + 1]
    local match, version = ARGV[at + 2], tonumber(ARGV[at + 3])
    local last = tonumber(redis.call('HGET', KEYS[1], match) or '0')
    if version < 0 then
        redis.call('HDEL', KEYS[1], match)
    elseif version == 0 then
        redis.call('HSETNX', KEYS[3], tenant, before_first)
        redis.call('HSETNX', KEYS[4], tenant, before_first)
    elseif version > last then
        redis.call('HSETNX', KEYS[3], tenant, before_first)
        for v = last + 1, version do
            local number = redis.call('HINCRBY', KEYS[3], tenant, 1)
            redis.call('XADD', feed, string.format('%.0f-0', number),
                'm', match, 'v', v)
        end
        redis.call('HSET', KEYS[1], match, version)
        told = told + version - last
    end
end
go_on(KEYS[2], KEYS[6])
if told > 0 then
    redis.call('XADD', KEYS[5], 'MAXLEN', 1, '*', 'n', told)
end
return told
