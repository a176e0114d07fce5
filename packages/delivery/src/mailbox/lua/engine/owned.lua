-- Looks through a page of the live mailboxes for those of a worker.
-- ARGV: worker, cursor of the page, mailboxes to look through.
-- Reply: {cursor of the next page, {{destination, token}, ...}}.
--- @include owner
local owned = {}
local cursor = visitOwned(ARGV[1], ARGV[2], ARGV[3], function() owned[#owned + 1] = { s.destination, s.owner } end)
return { cursor, owned }
