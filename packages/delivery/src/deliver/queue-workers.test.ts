import { createRetryWhileAway, isInternalError } from './queue-workers.ts';
import { createRuntime } from './runtime.ts';

describe('persisting', () => {
  const runtime = createRuntime();
  test('repeats a step while Redis is away, and reports each error', async () => {
    const told: string[] = [];
    const retryWhileAway = createRetryWhileAway({
      runtime,
      isStopping: () => false,
      onError: ({ message }) => told.push(message),
    });
    let tries = 0;
    const step = () =>
      (tries += 1) < 3 ? Promise.reject(new Error('Connection is closed.')) : Promise.resolve('done');
    await expect(retryWhileAway(step)).resolves.toBe('done');
    expect(told).toEqual(['Connection is closed.', 'Connection is closed.']);
  });

  test('gives up when the worker stops', async () => {
    const retryWhileAway = createRetryWhileAway({ runtime, isStopping: () => true, onError: () => undefined });
    await expect(retryWhileAway(() => Promise.reject(new Error('Connection is closed.')))).rejects.toThrow('closed');
  });

  test('never repeats a step after an internal error', async () => {
    const retryWhileAway = createRetryWhileAway({ runtime, isStopping: () => false, onError: () => undefined });
    const step = () => Promise.reject(new RangeError('Maximum call stack size exceeded'));
    await expect(retryWhileAway(step)).rejects.toThrow('Maximum call stack');
  });

  test.each([
    ['ERR user_function:3: attempt to index a nil value script: next_5b, on @user_function:3.', true],
    ['ERR user_script:3: attempt to index a nil value script: 5b, on @user_script:3.', true],
    ['WRONGTYPE Operation against a key holding the wrong kind of value script: 5b, on @user_script:9.', true],
    ["OOM command not allowed when used memory > 'maxmemory'. script: 5b, on @user_script:9.", false],
    ['LOADING Redis is loading the dataset in memory', false],
    ['READONLY You cannot write against a read only replica. script: 5b, on @user_script:9.', false],
    ['ERR max number of clients reached', false],
    ['Command timed out', false],
  ])('%s', (message, isOurs) => {
    expect(isInternalError(new Error(message))).toBe(isOurs);
  });
});
