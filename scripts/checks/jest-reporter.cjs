'use strict';

/** Sends the result of each test file to the process that started jest, and then `complete`. `jestMessage` in jest-results.ts defines the messages. */
module.exports = class {
  onTestResult({ context }, { testExecError, testResults }) {
    const of = (...statuses) => testResults.filter(({ status }) => statuses.includes(status));
    process.send?.({
      project: context.config.displayName.name,
      passed: of('passed').length,
      failed: of('failed').length + (testExecError ? 1 : 0),
      skipped: of('pending', 'todo', 'skipped', 'disabled').map(({ fullName, status }) => `${fullName} (${status})`),
    });
  }

  onRunComplete() {
    process.send?.('complete');
  }
};
