-- Remove a generation of a view in one step, whatever is written at the same time.
-- KEYS: 1 what names some of its keys, then the keys to remove beside these
-- ARGV: 1 command that reads the names, 2 what stands before each of them in its key
-- Returns how many keys there were
local removed = 0
for _, name in ipairs(redis.call(ARGV[1], KEYS[1])) do
    removed = removed + redis.call('UNLINK', ARGV[2] .. name)
end
for i = 2, #KEYS do
    removed = removed + redis.call('UNLINK', KEYS[i])
end
return removed
