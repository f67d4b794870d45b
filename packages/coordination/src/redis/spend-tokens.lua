-- Charges the tokens that one process has spent from a bucket, after the fact.
--
-- KEYS[1]  the bucket, a hash: `tokens` (below 0: debt) and `at` (time of the count, in
-- microseconds)
-- ARGV[1]  refill in tokens per second, above 0
-- ARGV[2]  maximum tokens of the bucket; also the maximum debt
-- ARGV[3]  tokens spent since the last call of this process; below 0: a refund
--
-- Returns the whole tokens left; below 0 is debt.
--
-- The time is the clock of Redis, the same for all processes. The key expires when the bucket would
-- be full again.
local rate, burst, spent = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local tokens, at = burst, now
local known = redis.call('HMGET', KEYS[1], 'tokens', 'at')
if known[1] and known[2] then
  -- A clock that was set back refills nothing.
  tokens, at = tonumber(known[1]), math.min(now, tonumber(known[2]))
end
tokens = math.min(burst, tokens + (now - at) * rate / 1000000)
tokens = math.max(-burst, math.min(burst, tokens - spent))

redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.min((burst - tokens) / rate * 1000, 1e15) + 1000))
return math.floor(tokens)
