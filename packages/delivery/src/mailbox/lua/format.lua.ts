/**
 * The format of the records that this version writes: destinations (with their mailbox and window), resends and dead letters. A record without a
 * number has format 1. Raise it when an earlier version would misread a record, and see decision 0032.
 */
export const FORMAT = 2;

/** Checks a record's format. Needs nothing. */
export const FORMAT_LUA = `
local FORMAT = ${FORMAT}
local function isNewer(v) return v and tonumber(v) > FORMAT end
local function refuseNewer(what, v)
  return redis.error_reply('NEWERFORMAT ' .. what .. ' has format ' .. v .. ', but this version of Mailhook reads the formats 1 to ' .. FORMAT .. '. A newer version must do this')
end
`;
