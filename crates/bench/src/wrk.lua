-- Sends the requests of a file in a seeded random order, and prints what wrk measured as one line of JSON.
--
-- A line of the file is a request: method, path, body and headers, separated by tabs. In a body, COUNTER is replaced by a number of the
-- same length that no other request of the run has.

local COUNTER = "##########"
local requests, counted = {}, false
local count = 0

local function split(line)
  local parts = {}
  for part in (line .. "\t"):gmatch("([^\t]*)\t") do parts[#parts + 1] = part end
  return parts
end

function init(arguments)
  local file, seed, first = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  math.randomseed(seed)
  count = first
  for line in io.lines(file) do
    local parts = split(line)
    local headers = { Host = "127.0.0.1" }
    for at = 4, #parts do
      local name, value = parts[at]:match("^([^:]+): (.*)$")
      headers[name] = value
    end
    local body = parts[3]
    if body == "" then body = nil end
    counted = counted or (body ~= nil and body:find(COUNTER, 1, true) ~= nil)
    requests[#requests + 1] = wrk.format(parts[1], parts[2], headers, body)
  end
end

function request()
  local chosen = requests[math.random(#requests)]
  if not counted then return chosen end
  count = count + 1
  return (chosen:gsub(COUNTER, string.format("%010d", count)))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"microseconds":%d,"requests":%d,"bytes":%d,"p50":%f,"p99":%f,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}\n',
    summary.duration, summary.requests, summary.bytes, latency:percentile(50), latency:percentile(99),
    errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
