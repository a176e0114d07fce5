'use strict';
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Runs the tests in node's own context. Jest gives each test file a context of its own, so that libraries would have to
 * be loaded again for each file, a quarter of the CPU time. The project's own modules still belong to one file. A test
 * must restore every global object that it changes.
 */
const OWN_CONTEXT = {};
const { compileFunction } = vm;
/** By file. A later test file runs the same function again, which node has already compiled and optimized. */
const compiled = new Map();
// Jest compiles each module in the context of the test's environment. Node takes its own context if none is given.
vm.compileFunction = (code, params, options) => {
  if (options?.parsingContext !== OWN_CONTEXT) return compileFunction(code, params, options);
  const known = compiled.get(options.filename);
  if (known?.code === code) return known.run;
  const run = compileFunction(code, params, { ...options, parsingContext: undefined });
  compiled.set(options.filename, { code, run });
  return run;
};

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

// For jest-library.cjs.
globalThis.requireLibrary = require;

module.exports = class {
  global = globalThis;
  fakeTimers = null;
  #console = globalThis.console;
  #exit = process.exit;
  #exitCode = process.exitCode;
  #conditions;

  constructor({ projectConfig }) {
    this.#conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  exportConditions() {
    return this.#conditions;
  }

  getVmContext() {
    return OWN_CONTEXT;
  }

  async setup() {}

  /** A time limit in a test file is for a machine at its usual speed. `--testTimeout` has the factor already. */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'run_start' && SLOWDOWN !== 1) slowDown(rootDescribeBlock);
  }

  /** Removes what jest would drop with a context. What stays would handle the errors of the next test file. */
  async teardown() {
    this.fakeTimersModern.dispose();
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (JEST_SYMBOLS.test(key.description)) delete globalThis[key];
    globalThis.console = this.#console;
    process.exit = this.#exit;
    process.exitCode = this.#exitCode;
  }
};
