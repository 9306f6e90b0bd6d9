-- Put the job that was added last in its turn: tenant by tenant, each in its own order.
-- A tenant's n-th waiting job is of the n-th round from now; rounds are played in order.
-- KEYS: 1 list of the queue, 2 round of each job, 3 latest round of each tenant
-- ARGV: 1 job, 2 tenant, 3 for how many s all of it is kept, 4 whether it is the first
--       of its round (1), or the last
-- Returns the number of jobs before it, or -1: a worker has taken it already
local function round_of(job)
    return tonumber(job and redis.call('ZSCORE', KEYS[2], job) or nil)
end
if redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0 then
    return -1
end
local waiting = redis.call('LLEN', KEYS[1])
if waiting == 0 then
    redis.call('DEL', KEYS[2], KEYS[3])
end
local now = round_of(redis.call('LINDEX', KEYS[1], 0)) or 0
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. now)
local latest = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or nil)
local own = math.max(now, (latest or now - 1) + 1)
redis.call('HSET', KEYS[3], ARGV[2], own)
redis.call('ZADD', KEYS[2], own, ARGV[1])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[3])
local jobs = redis.call('LRANGE', KEYS[1], 0, -1)
local before = own + 1 - ARGV[4]  -- what is of that round, or of a later one, waits
local place = waiting
while place > 0 and (round_of(jobs[place]) or now) >= before do
    place = place - 1
end
if place == 0 then
    redis.call('LPUSH', KEYS[1], ARGV[1])
else
    redis.call('LINSERT', KEYS[1], 'AFTER', jobs[place], ARGV[1])
end
return place
