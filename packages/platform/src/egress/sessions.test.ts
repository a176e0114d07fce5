import { createSessions } from './sessions.ts';

const session = (fill: number, bytes = 10): Buffer => Buffer.alloc(bytes, fill);

describe('createSessions', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('keeps the newest session of each origin', () => {
    const sessions = createSessions();
    sessions.keep('a.test:443', session(1), false);
    sessions.keep('a.test:443', session(2), true);
    sessions.keep('a.test:8443', session(3), false);
    expect(sessions.get('a.test:443')).toEqual(session(2));
    expect(sessions.get('a.test:8443')).toEqual(session(3));
    sessions.forget('a.test:443');
    expect(sessions.get('a.test:443')).toBeUndefined();
  });

  test('is bounded in bytes, and forgets what was not used for longest', () => {
    const sessions = createSessions(10_000);
    for (const name of ['a', 'b', 'c']) sessions.keep(name, session(1, 2000), false);
    sessions.get('a');
    sessions.keep('d', session(1, 2000), false);
    expect(['a', 'b', 'c', 'd'].filter((name) => sessions.get(name) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  test('an hour after the certificate was checked, a session is not used, although it was resumed meanwhile', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const sessions = createSessions();
    sessions.keep('a', session(1), false);
    now.mockReturnValue(3_000_000);
    sessions.keep('a', session(2), true);
    expect(sessions.get('a')).toEqual(session(2));
    now.mockReturnValue(3_600_000);
    expect(sessions.get('a')).toBeUndefined();
    // The connection that resumed the forgotten session gives another one.
    sessions.keep('a', session(3), true);
    expect(sessions.get('a')).toBeUndefined();
  });
});
