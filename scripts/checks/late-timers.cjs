'use strict';

/**
 * `npm test -- --jitter` loads this file into each process of a test run. A timer then fires late by up to 30 ms or
 * 20 % of its delay, whichever is more. Timers without a delay stay as they are, because they only await the next turn
 * of the event loop.
 */
const { syncBuiltinESMExports } = require('node:module');
const timers = require('node:timers');
const promises = require('node:timers/promises');
const { promisify } = require('node:util');

const LATE_MS = 30;
const LATE_SHARE = 0.2;
/** Node fires timers with a longer delay at once. */
const DELAY_MAX_MS = 2 ** 31 - 1;

/** Mulberry32, seeded per program and jest worker, so that processes of one run do not jitter alike. */
let state = [process.env.TEST_TIMER_SEED, process.argv[1], process.env.JEST_WORKER_ID]
  .join(' ')
  .split('')
  .reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0, 7);
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}

function late(delay) {
  const delayMs = Number(delay);
  if (!(delayMs > 0) || delayMs > DELAY_MAX_MS) return delay;
  return Math.min(DELAY_MAX_MS, delayMs + random() * Math.max(LATE_MS, delayMs * LATE_SHARE));
}

const { setTimeout, setInterval } = timers;
const lateTimers = {
  setTimeout: (callback, delay, ...args) => setTimeout(callback, late(delay), ...args),
  setInterval: (callback, delay, ...args) => setInterval(callback, late(delay), ...args),
};
const { setTimeout: wait, setInterval: ticks } = promises;
promises.setTimeout = (delay, ...args) => wait(late(delay), ...args);
promises.setInterval = (delay, ...args) => ticks(late(delay), ...args);
Object.defineProperty(lateTimers.setTimeout, promisify.custom, { value: promises.setTimeout });
Object.assign(timers, lateTimers);
Object.assign(globalThis, lateTimers);
syncBuiltinESMExports();
