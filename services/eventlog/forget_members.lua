-- Remove the members of a group that are long gone: idle, and nothing in their hands.
-- KEYS: 1 feed
-- ARGV: 1 group, 2 idle time in ms from which on a member is gone
-- Returns how many were removed
local removed = 0
for _, facts in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
    local member = {}
    for i = 1, #facts, 2 do
        member[facts[i]] = facts[i + 1]
    end
    if member['pending'] == 0 and member['idle'] >= tonumber(ARGV[2]) then
        redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], member['name'])
        removed = removed + 1
    end
end
return removed
