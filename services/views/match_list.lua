-- Exchange rows of the list of matches, all or none, if they are those that were seen.
-- KEYS: 1 rows, 2 cursors, 3 mark of a build, 4 names of the indexes and counters there
--       are, then indexes and counters, which ARGV tells by their places, from 1 on
-- ARGV: from where to where (see step.lua), then how many rows, then of each:
--       match, row that was seen, new row ('': there is none), its name in indexes,
--       place of its counters, how many indexes it leaves, the place of each,
--       how many it joins, these, how many counts change, the name of each and by
--       how much
-- Returns 1; 0 if a row is another than the one that was seen; -1 if a cursor is
if not is_where_it_was(KEYS[2], KEYS[3]) then
    return -1
end
local rows, at = {}, after_step + 1
local function take(count)
    local taken = {unpack(ARGV, at, at + count - 1)}
    at = at + count
    return taken
end
for _ = 1, tonumber(ARGV[after_step]) do
    local row = {}
    row.match, row.seen, row.new, row.name, row.counters = unpack(take(5))
    row.left = take(take(1)[1])
    row.joined = take(take(1)[1])
    row.counts = take(2 * take(1)[1])
    if (redis.call('HGET', KEYS[1], row.match) or '') ~= row.seen then
        return 0
    end
    table.insert(rows, row)
end
for _, row in ipairs(rows) do
    if row.new == '' then
        redis.call('HDEL', KEYS[1], row.match)
    else
        redis.call('HSET', KEYS[1], row.match, row.new)
    end
    for _, place in ipairs(row.left) do
        local index = KEYS[4 + place]
        redis.call('ZREM', index, row.name)
        if redis.call('EXISTS', index) == 0 then
            redis.call('SREM', KEYS[4], index)
        end
    end
    local counters = KEYS[4 + row.counters]
    for _, place in ipairs(row.joined) do
        redis.call('ZADD', KEYS[4 + place], 0, row.name)
        redis.call('SADD', KEYS[4], counters, KEYS[4 + place])
    end
    for i = 1, #row.counts, 2 do
        redis.call('HINCRBY', counters, row.counts[i], row.counts[i + 1])
    end
end
go_on(KEYS[2], KEYS[3])
return 1
