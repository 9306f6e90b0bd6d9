-- Take the analysis that is thought about next: of the tenant served longest ago.
-- KEYS: 1 tenants whose turn comes, 2 those taken, 3 how many turns there were
-- ARGV: 1 until when nobody else looks for it in ms, 2 what the keys of those that wait
--       begin with, 3 what the keys of an analysis begin with
-- Returns its id, or nothing
while true do
    local tenant = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
    if not tenant then
        return false
    end
    local id = redis.call('ZPOPMIN', ARGV[2] .. tenant)[1]
    if not id then
        redis.call('ZREM', KEYS[1], tenant)
    elseif redis.call('EXISTS', ARGV[3] .. id) == 1 then
        if redis.call('EXISTS', ARGV[2] .. tenant) == 1 then
            redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[3]), tenant)
        else
            redis.call('ZREM', KEYS[1], tenant)
        end
        redis.call('ZADD', KEYS[2], ARGV[1], id)
        return id
    end
end
