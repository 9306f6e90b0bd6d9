-- What the scripts that write a view begin with: from where to where a write takes it.
-- ARGV: 1 mark of a build that was seen ('': it is none), 2 mark to leave,
--       3 how many cursors, then of each: partition, cursor that was seen, new cursor
local after_step = 4 + 3 * tonumber(ARGV[3])

-- Tell whether the cursors are those that were seen, and in a build the mark.
local function is_where_it_was(cursors, mark)
    for i = 4, after_step - 1, 3 do
        if (redis.call('HGET', cursors, ARGV[i]) or '') ~= ARGV[i + 1] then
            return false
        end
    end
    return ARGV[1] == '' or redis.call('GET', mark) == ARGV[1]
end

local function go_on(cursors, mark)
    for i = 4, after_step - 1, 3 do
        redis.call('HSET', cursors, ARGV[i], ARGV[i + 2])
    end
    if ARGV[2] ~= '' then
        redis.call('SET', mark, ARGV[2])
    elseif ARGV[1] ~= '' then
        redis.call('DEL', mark)
    end
end

