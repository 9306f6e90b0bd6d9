-- Take a question, unless it was asked already, or its tenant asks too much at once.
-- KEYS: 1 the analysis, 2 the analysis of the same question, 3 those of the tenant that
--       have not ended, 4 those that wait, 5 tenants whose turn comes, 6 how many turns
--       there were, 7 the request (its idempotency key), 8 those of the match that tokens
--       have asked for and that have not ended, 9 news, 10 hints that wait
-- ARGV: 1 id, or '' to find out whether there is room, and do nothing, 2 tenant,
--       3 question, 4 who asks with a token or '', 5 now in ms, 6 for how many ms it is
--       kept, 7 how many of the tenant may not have ended or '', 8 how many of the match
--       for tokens, 9 record of the request or '', 10 its life in s, 11 what the keys of
--       an analysis begin with, 12 its place among those of the tenant that wait: 0
--       is that of a hint
-- Returns {'new', id} | {'room', ''} | {'known', id}
--       | {'asked', record of the earlier request} | {'full', how many there are}
--       | {'busy', how many there are of the match}
local earlier = ARGV[9] ~= '' and redis.call('GET', KEYS[7])
if earlier then
    return {'asked', earlier}
end
local function told(what, id)
    if ARGV[9] ~= '' then
        redis.call('SET', KEYS[7], ARGV[9] .. ' ' .. id, 'EX', ARGV[10])
    end
    return {what, id}
end
local same = redis.call('GET', KEYS[2])
if same and redis.call('EXISTS', ARGV[11] .. same) == 1 then
    return told('known', same)
end
local gone = ARGV[5] - ARGV[6]
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', gone)
local used = redis.call('ZCARD', KEYS[3])
if ARGV[7] ~= '' and used >= tonumber(ARGV[7]) then
    return {'full', used}
end
if ARGV[4] ~= '' then
    redis.call('ZREMRANGEBYSCORE', KEYS[8], '-inf', gone)
    local own = redis.call('ZCARD', KEYS[8])
    if own >= tonumber(ARGV[8]) then
        return {'busy', own}
    end
end
if ARGV[1] == '' then
    return {'room', ''}
end
if ARGV[4] ~= '' then
    redis.call('ZADD', KEYS[8], ARGV[5], ARGV[1])
    redis.call('PEXPIRE', KEYS[8], ARGV[6])
end
redis.call('HSET', KEYS[1], 'tenant', ARGV[2], 'question', ARGV[3], 'asker', ARGV[4],
    'status', 'waiting', 'asked_ms', ARGV[5], 'until_ms', ARGV[5] + ARGV[6],
    'attempts', 0, 'version', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[6])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[6])
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[6])
redis.call('ZADD', KEYS[4], ARGV[12], ARGV[1])
redis.call('PEXPIRE', KEYS[4], ARGV[6])
if ARGV[12] == '0' then
    redis.call('ZADD', KEYS[10], ARGV[5], ARGV[1])
    redis.call('PEXPIRE', KEYS[10], ARGV[6])
end
if not redis.call('ZSCORE', KEYS[5], ARGV[2]) then
    redis.call('ZADD', KEYS[5], redis.call('INCR', KEYS[6]), ARGV[2])
end
redis.call('XADD', KEYS[9], 'MAXLEN', '~', 1000, '*', 'id', ARGV[1], 'version', 0)
return told('new', ARGV[1])
