'use strict';
const fc = require('fast-check');
const { ModuleMocker } = require('jest-mock');

/** Property tests make the same choices in each run with this seed, so that only a change can turn one red. */
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) });

/** Where jest keeps what belongs to one test file: its handlers of events and errors, its time limit, its retries. */
const JEST_SYMBOLS =
  /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_|WAIT_BEFORE_RETRY|LOG_ERRORS_BEFORE_RETRY)/;

/** How many times longer than usual each test may take. */
const SLOWDOWN = Number(process.env['TEST_SLOWDOWN'] ?? 1);

/** Gives the tests and hooks of a block with a time limit of their own more time. */
function slowDown({ hooks, children }) {
  for (const one of [...hooks, ...children]) {
    if (one.type === 'describeBlock') slowDown(one);
    else if (one.timeout !== undefined) one.timeout *= SLOWDOWN;
  }
}

/**
 * Jest gives a worker 500 ms to end. Node frees the memory of all libraries first, which takes longer on a busy
 * machine. Jest then reports "A worker process has failed to exit gracefully", although nothing is open.
 */
const endNow = (code) => {
  // After an error, Node still has to print it.
  if (code === 0) process.kill(process.pid, 'SIGKILL');
};
const isWorker = process.argv[1]?.includes('jest-worker');

/**
 * Runs the tests in node's own context, in which jest-runtime.cjs loads them. A test must restore every global object
 * that it changes. There are no fake timers.
 */
module.exports = class {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = null;
  moduleMocker = new ModuleMocker(globalThis);
  #console = globalThis.console;
  #exit = process.exit;
  #exitCode = process.exitCode;

  getVmContext() {
    return null;
  }

  async setup() {}

  /** A time limit in a test file is for a machine at its usual speed. `--testTimeout` has the factor already. */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'run_start' && SLOWDOWN !== 1) slowDown(rootDescribeBlock);
  }

  /** Removes what jest would drop with a context. What stays would handle the errors of the next test file. */
  async teardown() {
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (JEST_SYMBOLS.test(key.description)) delete globalThis[key];
    globalThis.console = this.#console;
    process.exit = this.#exit;
    process.exitCode = this.#exitCode;
    // The last of all listeners, behind those of libraries that end their processes.
    if (isWorker) process.off('exit', endNow).on('exit', endNow);
  }
};
