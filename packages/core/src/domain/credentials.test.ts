import { formatCredentials, paceOf, parseCredentials } from './credentials.ts';

describe('credentials in a record', () => {
  it.each([
    { secrets: [], headers: {}, maxRequestsPerSecond: null },
    { secrets: ['whsec_a', 'whsec_b'], headers: {}, maxRequestsPerSecond: null },
    { secrets: [], headers: { authorization: 'Bearer "x"' }, maxRequestsPerSecond: null },
    { secrets: ['whsec_a'], headers: { authorization: 'Basic x', 'x-team': 'a' }, maxRequestsPerSecond: null },
    { secrets: ['whsec_a'], headers: { 'x-team': '{"maxRequestsPerSecond":5' }, maxRequestsPerSecond: 20 },
    { secrets: [], headers: { 'x-team': '{"maxRequestsPerSecond":5' }, maxRequestsPerSecond: null },
  ])('%j are read as they were written', (credentials) => {
    expect(parseCredentials(formatCredentials(credentials))).toEqual(credentials);
  });

  it('are one JSON object without empty values', () => {
    expect(formatCredentials({ secrets: [], headers: {}, maxRequestsPerSecond: null })).toBe('');
    expect(formatCredentials({ secrets: ['whsec_a'], headers: { a: 'b' }, maxRequestsPerSecond: 5 })).toBe(
      '{"maxRequestsPerSecond":5,"secrets":["whsec_a"],"headers":{"a":"b"}}',
    );
  });

  it('shows the pace without parsing', () => {
    expect(paceOf(formatCredentials({ secrets: [], headers: {}, maxRequestsPerSecond: 7 }))).toBe(7);
    expect(
      paceOf(formatCredentials({ secrets: ['whsec_a'], headers: {}, maxRequestsPerSecond: null })),
    ).toBeUndefined();
    expect(paceOf('')).toBeUndefined();
  });
});
