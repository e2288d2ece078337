-- Asks every path of a file, over and over; the requests are made before the measurement.
local requests = {}
local next = 0

function init(args)
  wrk.headers["Authorization"] = "Bearer " .. args[2]
  wrk.headers["Accept"] = "application/json"
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end
