import { problem, problemCode } from './problem.ts';

describe('problem', () => {
  const MINIMAL = { type: 'about:blank', title: 'Not Found', status: 404, code: 'not_found' };

  it.each([MINIMAL, { ...MINIMAL, detail: 'no such subscription', errors: [{ path: '7.name', message: 'bad' }] }])(
    'accepts %j',
    (body) => {
      expect(problem.parse(body)).toEqual(body);
    },
  );

  it('accepts only documented codes', () => {
    expect(problem.safeParse({ ...MINIMAL, code: 'oops' }).success).toBe(false);
  });

  // Clients switch on these codes. Removing or renaming one breaks clients.
  it('keeps its codes', () => {
    expect(problemCode.options).toEqual(
      expect.arrayContaining(['malformed_json', 'unauthorized', 'validation_failed', 'unknown_account', 'unavailable']),
    );
  });
});
