import { FREEZE_LUA } from './mailbox-freeze.lua.ts';
import { SETTLE_LUA } from './mailbox-settle.lua.ts';
import { STATE_LUA } from './mailbox-state.lua.ts';
import { STEP_LUA } from './mailbox-step.lua.ts';

/**
 * The common part of the scripts: the structure of a mailbox. KEYS[1] is the mechanism's base (below: K), KEYS[2] the shard's shared prefix (P).
 *
 *   K d:<destination>   hash: the record (account, address, active, reason, version, secrets, deleted, gone) and the mailbox's state:
 *                       owner   fencing token `<worker>.<claim>`, '' for none      ready   '1' while it is in a ready list
 *                       win     the window: JSON list of {id, lane, elements, events, attempt, done, bytes}
 *                       ef, eu  events not yet frozen in each lane
 *                       bf, bp, bu  breaker: failures, parking in ms, parked until lane, turn  which lane was served last
 *                       size    size limit, if the receiver answered 413 (see core, domain/size-limit)
 *                       paused  an operator's pause: until when            drop    an operator gave up the events accepted until then
 *                       v       the record's format, see format.lua.ts; resends and dead letters have one too
 *   K f:<destination>   list: new events; an element is 8 base-36 digits of the time of acceptance, 4 digits of its count of events, the fragments;
 *                       before these, for events with a trace context, `~` and its 55 characters
 *   K u:<destination>   list: the same for unsubscribes, which overtake
 *   K q:<destination>   list: ids of resends that are due      K xs:<destination>  set: ids of all its resends
 *   K x:<resend>        hash: a batch that failed, frozen      K due               sorted set: resends by due time
 *   K proven, K ready  lists of destinations that wait for a worker: those with a successful last attempt, and the others
 *   K busy    sorted set: destinations with events, since when
 *   K parked sorted set: parked and paused destinations, until when   K paused sorted set: those that an operator paused, until when
 *   K workers  sorted set: leases; K owned:<worker> set          K beat    when a worker last renewed its lease
 *   K newer    sorted set: `<owner> <destination>` with a format that a worker could not read, by format    P format  the newest format written
 *   P clock   Redis's time at the last heartbeat, and the shift of the scripts' time, see clock.lua.ts
 *   K dl:<id>, K dlm:<id>  a dead letter, its untried events     P dls, P dls:<account>  sorted sets: dead letters by time
 *   P held, P queued, P queued-events  hashes by account: bytes in mailboxes, resends and dead letters; bytes and events of queued chunks
 *   P heavy-held, P heavy-queued  sorted sets: accounts with more than 1 MB there
 *   P undelivered  hash: undelivered events by account          P overfull  set: accounts with more of them than P waiting-max
 *
 * Rules kept here: freezing happens in place (the window counts elements at the heads of the lanes, nothing is copied); only the longest
 * done prefix of a lane is trimmed; a failed batch moves to a record of its own in the script that settles it; only an empty mailbox is
 * released, in the same script that finds it empty; every call names its token and is refused when the token is not the owner.
 */
export const MAILBOX_LUA = STATE_LUA + SETTLE_LUA + FREEZE_LUA + STEP_LUA;
