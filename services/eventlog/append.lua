-- Record events on one stream, all or none, if it is still at the expected version.
-- KEYS: 1 events, 2 state, 3 feed, 4 due, 5 streams of the partition,
--       then the idempotency record (only with a digest of the request),
--       then alarms (only with an alarm)
-- ARGV: 1 stream, 2 expected version, 3 new head hash, 4 snapshot, 5 tenant,
--       6 who is awaited, 7 deadline in ms ('' for none), 8 digest of the request,
--       9 life of the idempotency record in s,
--       10 1 if replicas have to hold it ('' if not): the state is marked until they do,
--       11 alarm in ms (0 for no more, '' for never),
--       12 the command that rings the bell of the feed,
--       then type, time in ms, author and data of each event
-- Returns {'appended', first, last} | {'replayed', first, last} | {'reused'}
--       | {'conflict', version, hash, snapshot, tenant} | {'damaged', version, events}
local record = ARGV[8] ~= '' and KEYS[6]
local earlier = record and redis.call('GET', record)
if earlier then
    local first, last, digest = string.match(earlier, '^(%d+) (%d+) (.*)$')
    if digest ~= ARGV[8] then
        return {'reused'}
    end
    return {'replayed', tonumber(first), tonumber(last)}
end

local version = tonumber(redis.call('HGET', KEYS[2], 'v') or '0')
if version ~= tonumber(ARGV[2]) then
    local state = redis.call('HMGET', KEYS[2], 'h', 's', 't')
    return {'conflict', version, state[1] or '', state[2] or '', state[3] or ''}
end
-- A lost or restored state must not open a gap in the stream, or fork it.
local events = redis.call('XLEN', KEYS[1])
if events ~= version then
    return {'damaged', version, events}
end

local first = version + 1
for i = 13, #ARGV, 4 do
    version = version + 1
    redis.call('XADD', KEYS[1], version .. '-0',
        't', ARGV[i], 'a', ARGV[i + 1], 'b', ARGV[i + 2], 'd', ARGV[i + 3])
end
redis.call('HSET', KEYS[2], 'v', version, 'h', ARGV[3], 's', ARGV[4], 't', ARGV[5])
if ARGV[10] ~= '' then
    redis.call('HSET', KEYS[2], 'u', version)
end
redis.call('XADD', KEYS[3], '*',
    's', ARGV[1], 'f', first, 'l', version, 't', ARGV[5], 'w', ARGV[6])
if ARGV[7] ~= '' then
    redis.call('ZADD', KEYS[4], ARGV[7], ARGV[1])
else
    redis.call('ZREM', KEYS[4], ARGV[1])
end
if ARGV[11] == '0' then
    redis.call('ZREM', KEYS[#KEYS], ARGV[1])
elseif ARGV[11] ~= '' then
    redis.call('ZADD', KEYS[#KEYS], ARGV[11], ARGV[1])
end
if first == 1 then
    redis.call('ZADD', KEYS[5], ARGV[14], ARGV[1])
end
if record then
    redis.call('SET', record, first .. ' ' .. version .. ' ' .. ARGV[8], 'EX', ARGV[9])
end
-- Followers read without it, too, a moment later: no reason to fail.
redis.pcall(ARGV[12], KEYS[3], '')
return {'appended', first, version}
