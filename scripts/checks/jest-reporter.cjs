'use strict';

/**
 * Sends each failure and the result of each test file to the process that started jest, and then `complete`.
 * `jestMessage` in jest-results.ts defines the messages.
 */
module.exports = class {
  onTestCaseResult({ path }, { status, fullName, failureMessages }) {
    if (status === 'failed') process.send?.({ path, name: fullName, text: failureMessages.join('\n') });
  }

  onTestResult({ path, context }, { testExecError, testResults, failureMessage, perfStats }) {
    if (testExecError) process.send?.({ path, name: 'the file does not load', text: String(failureMessage) });
    const of = (...statuses) => testResults.filter(({ status }) => statuses.includes(status));
    process.send?.({
      project: context.config.displayName.name,
      path,
      durationMs: perfStats.runtime,
      passed: of('passed').length,
      failed: of('failed').length + (testExecError ? 1 : 0),
      skipped: of('pending', 'todo', 'skipped', 'disabled').map(({ fullName, status }) => `${fullName} (${status})`),
    });
  }

  onRunComplete() {
    process.send?.('complete');
  }
};
