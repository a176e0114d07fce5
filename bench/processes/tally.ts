import type { Mechanism } from '@mailhook/core';
import { SEQ_MARK } from './events.ts';

export interface Expectation {
  readonly kind: Mechanism;
  /** Events of the run, numbered from 0. */
  readonly events: number;
  readonly behaviour?: Behaviour;
}

/** How the receivers of a run answer. */
export interface Behaviour {
  readonly delayMs?: number;
  /** Destinations with a number below this take requests and never answer. */
  readonly hanging?: number;
  /** A status other than 200 refuses, and its events do not count as arrived. */
  readonly status?: number;
}

export interface Count {
  readonly distinct: number;
  readonly doubled: number;
  readonly requests: number;
  readonly refused: number;
  /** The most requests taken and not yet answered at the same time, without hanging ones. */
  readonly openMax: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly delayMs: number;
}

export interface Tally {
  /** Counts a request. Returns undefined if it must never be answered. */
  take(destination: number, body: string, atMs: number): Reply | undefined;
  answered(): void;
  behave(behaviour: Behaviour): void;
  until(distinct: number, withinMs: number): Promise<Count>;
  count(): Count;
  arrivals(): Float64Array;
}

/** Counts the requests and events of one run. */
export function createTally({ kind, events, behaviour: initial = {} }: Expectation): Tally {
  const arrivedAtMs = new Float64Array(events);
  let behaviour = initial;
  const state = { distinct: 0, doubled: 0, requests: 0, refused: 0, openMax: 0, firstMs: 0, lastMs: 0 };
  let open = 0;
  let waiting: { distinct: number; resolve: (count: Count) => void } | undefined;

  const arrive = (seq: number, atMs: number): void => {
    if (arrivedAtMs[seq] === 0) {
      arrivedAtMs[seq] = atMs;
      state.distinct += 1;
    } else state.doubled += 1;
  };

  return {
    take(destination, body, atMs) {
      state.requests += 1;
      if (state.firstMs === 0) state.firstMs = atMs;
      if (destination < (behaviour.hanging ?? 0)) return undefined;
      open += 1;
      if (open > state.openMax) state.openMax = open;
      const delayMs = behaviour.delayMs ?? 0;
      if (behaviour.status !== undefined && behaviour.status !== 200) {
        state.refused += 1;
        return { status: behaviour.status, body: '', delayMs };
      }
      const reply = kind === 'campaign' ? acknowledge(body, atMs, arrive) : notified(body, atMs, arrive);
      state.lastMs = atMs;
      if (waiting !== undefined && state.distinct >= waiting.distinct) waiting.resolve({ ...state });
      return { status: 200, body: reply, delayMs };
    },
    answered() {
      open -= 1;
    },
    behave(next) {
      behaviour = next;
    },
    until: (distinct, withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => finish({ ...state }), withinMs);
        const finish = (count: Count): void => {
          clearTimeout(timer);
          waiting = undefined;
          resolve(count);
        };
        waiting = { distinct, resolve: finish };
        if (state.distinct >= distinct) finish({ ...state });
      }),
    count: () => ({ ...state }),
    arrivals: () => arrivedAtMs,
  };
}

type Arrive = (seq: number, atMs: number) => void;

/** Counts one notification, or the events of an array. */
function notified(body: string, atMs: number, arrive: Arrive): string {
  const mark = SEQ_MARK.transactional;
  for (let at = body.indexOf(mark); at >= 0; at = body.startsWith('[') ? body.indexOf(mark, at + 1) : -1)
    arrive(numberAt(body, at + mark.length), atMs);
  return '{}';
}

const HASH_MARK = '"hash":"';

/** Returns the acknowledgement of every hash in a batch. */
function acknowledge(body: string, atMs: number, arrive: Arrive): string {
  let reply = '';
  for (let at = body.indexOf(HASH_MARK); at >= 0;) {
    const from = at + HASH_MARK.length;
    const to = body.indexOf('"', from);
    reply += `${reply === '' ? '[' : ','}{"hash":"${body.slice(from, to)}","status":true}`;
    const mark = body.indexOf(SEQ_MARK.campaign, to);
    arrive(numberAt(body, mark + SEQ_MARK.campaign.length), atMs);
    at = body.indexOf(HASH_MARK, mark);
  }
  return `${reply}]`;
}

const DIGIT_0 = 48;

function numberAt(text: string, at: number): number {
  let value = 0;
  for (let i = at; ; i += 1) {
    const digit = text.charCodeAt(i) - DIGIT_0;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}
