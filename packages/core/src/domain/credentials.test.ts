import { formatCredentials, paceOf, parseCredentials } from './credentials.ts';

describe('credentials in a record', () => {
  it.each([
    { secrets: [], headers: {}, maxRequestsPerSecond: null },
    { secrets: ['whsec_a', 'whsec_b'], headers: {}, maxRequestsPerSecond: null },
    { secrets: [], headers: { authorization: 'Bearer "x"' }, maxRequestsPerSecond: null },
    { secrets: ['whsec_a'], headers: { authorization: 'Basic x', 'x-team': 'headers:' }, maxRequestsPerSecond: null },
    { secrets: ['whsec_a'], headers: { 'x-team': '"pace:5"' }, maxRequestsPerSecond: 20 },
    { secrets: [], headers: { 'x-team': '["pace:5"]' }, maxRequestsPerSecond: null },
  ])('%j are read as they were written', (credentials) => {
    expect(parseCredentials(formatCredentials(credentials))).toEqual(credentials);
  });

  it('without headers, the text is the one of older versions', () => {
    expect(formatCredentials({ secrets: [], headers: {}, maxRequestsPerSecond: null })).toBe('');
    expect(formatCredentials({ secrets: ['whsec_a'], headers: {}, maxRequestsPerSecond: null })).toBe('["whsec_a"]');
  });

  it('with headers, it is a list of texts to older versions', () => {
    const texts: unknown = JSON.parse(
      formatCredentials({ secrets: ['whsec_a'], headers: { a: 'b' }, maxRequestsPerSecond: null }),
    );
    expect(texts).toEqual(['whsec_a', expect.any(String)]);
  });

  it('shows the pace without parsing', () => {
    expect(paceOf(formatCredentials({ secrets: [], headers: {}, maxRequestsPerSecond: 7 }))).toBe(7);
    expect(paceOf('["whsec_a"]')).toBeUndefined();
    expect(paceOf('')).toBeUndefined();
  });
});
