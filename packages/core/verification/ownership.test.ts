import { explore } from './explore.suite.ts';
import { ownershipProtocol } from './ownership.suite.ts';
import type { Rule } from './ownership-rules.suite.ts';
import type { World } from './ownership-state.suite.ts';

/** The base of all worlds below: two events, two workers, no faults. */
const CALM: World = {
  chunks: 2,
  batchMax: 1,
  faults: 0,
  losses: 0,
  failures: 0,
  schedule: 1,
  parkings: 0,
  deletions: 0,
  pauses: 0,
  giveUps: 0,
  isOnLastPage: false,
};
const check = (world: Partial<World>) => explore(ownershipProtocol({ ...CALM, ...world })).violation;

/**
 * These hold in every order of steps. Each accepted event is delivered, becomes a dead letter, or is discarded with its
 * deleted destination. No settled event is sent again. `attempt` counts how often an event was frozen. Only one drain
 * settles. No destination stays owned, waiting or ready without a worker for it.
 */
describe('the ownership protocol', () => {
  it.each<[string, Partial<World>]>([
    ['two workers crash or stall', { faults: 2 }],
    ['two workers crash or stall, and the destination is found last', { faults: 2, isOnLastPage: true }],
    ['workers crash or stall three times', { chunks: 1, faults: 3 }],
    ['a worker crashes or stalls, and a batch fails', { faults: 1, failures: 1 }],
    ['a failing batch is parked, and a worker crashes or stalls', { faults: 1, failures: 1, parkings: 1 }],
    [
      'the last attempt fails and parks, and a worker crashes or stalls',
      { faults: 1, failures: 1, parkings: 1, schedule: 0 },
    ],
    ['the destination is deleted, and a worker crashes or stalls', { faults: 1, deletions: 1 }],
    ['the destination is deleted while it fails and is parked', { failures: 2, parkings: 1, deletions: 1 }],
    ['replies of Redis are lost', { losses: 2, failures: 1 }],
    ['a reply of Redis is lost, and a worker crashes or stalls', { losses: 1, faults: 1 }],
    ['a batch is partly acknowledged, and a worker crashes or stalls', { batchMax: 2, faults: 1, failures: 1 }],
    ['batches fail until they become dead letters', { batchMax: 2, failures: 4, parkings: 2 }],
    ['two batches in flight fail or succeed in either order', { chunks: 3, failures: 2, parkings: 1, deletions: 1 }],
    ['a batch has two events, and a reply of Redis is lost', { chunks: 3, batchMax: 2, losses: 1 }],
    ['an operator pauses, and a worker crashes or stalls', { pauses: 1, faults: 1 }],
    ['an operator pauses a failing, parked destination twice', { pauses: 2, failures: 1, parkings: 1 }],
    ['an operator gives up the events, and a worker crashes or stalls', { giveUps: 1, faults: 1 }],
    [
      'events are given up while the destination fails, is parked and is paused',
      { giveUps: 1, pauses: 1, failures: 1, parkings: 1 },
    ],
    ['events are given up, a reply is lost, and the destination is deleted', { giveUps: 1, losses: 1, deletions: 1 }],
  ])('loses nothing and comes to rest when %s', (_what, world) => {
    expect(check(world)).toBeUndefined();
  });

  it.each<[Rule, Partial<World>, RegExp]>([
    ['fence', { faults: 1 }, /two drains settle/],
    ['fresh token', { faults: 1 }, /two drains settle/],
    ['mark', { faults: 1 }, /frozen with attempt 1 after attempt 1/],
    ['job exists', { faults: 1 }, /frozen with attempt 1 after attempt 1/],
    ['claim only without an owner', {}, /sent again though nothing went wrong/],
    ['release only when empty', {}, /event 1 waits/],
    ['put on the ready list', {}, /event 1 waits/],
    ['put back after the lease', { chunks: 1, faults: 1 }, /no worker drains it/],
    ['claim takes a lease', { chunks: 1, faults: 2 }, /no worker drains it/],
    ['claim only with a lease', { chunks: 1, faults: 2 }, /no worker drains it/],
    ['search anew', { chunks: 1, faults: 2 }, /no worker drains it/],
    ['put back orphans', { losses: 1 }, /no worker drains it/],
    ['notice a lost reply', { losses: 1 }, /no worker drains it/],
    ['resend batches in flight', { chunks: 1, faults: 1 }, /no worker drains it/],
    ['raise the attempt', { faults: 1 }, /frozen with attempt 1 after attempt 1/],
    ['trim a prefix', { faults: 1 }, /sent again after it was delivered/],
    ['move in the settling function', { chunks: 1, faults: 1, failures: 1 }, /event 0 is lost/],
    ['keep the record until settled', { chunks: 1, faults: 1, failures: 1 }, /event 0 is lost/],
    ['reconcile', { chunks: 1, faults: 1, failures: 1 }, /event 0 waits/],
    ['wake after parking', { failures: 1, parkings: 1, schedule: 0 }, /event 1 waits/],
    ['wake on delete', { failures: 1, parkings: 1, schedule: 0, deletions: 1 }, /event 1 waits/],
    ['wake on pause', { pauses: 1 }, /event 0.* waits/],
    ['freeze nothing while paused', { pauses: 1 }, /sent while the destination is paused/],
    ['give up only earlier events', { giveUps: 1 }, /given up that came later/],
  ])('needs the rule "%s"', (without, world, what) => {
    const violation = check({ ...world, without });
    expect(violation?.what).toMatch(what);
    expect(violation?.path.length).toBeGreaterThan(0);
  });

  it('reports the shortest path to a violation', () => {
    expect(check({ without: 'put on the ready list' })).toEqual({
      what: 'event 1 waits, and no worker will take it',
      path: [
        'worker 0 runs job 0',
        'worker 0 runs job 1',
        "worker 0's drain sends f0, attempt 1: confirmed",
        "worker 0's drain: next, releasing",
      ],
    });
  });
});
