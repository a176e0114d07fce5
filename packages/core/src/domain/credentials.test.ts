import { formatCredentials, parseCredentials } from './credentials.ts';

describe('credentials in a record', () => {
  it.each([
    { secrets: [], headers: {} },
    { secrets: ['whsec_a', 'whsec_b'], headers: {} },
    { secrets: [], headers: { authorization: 'Bearer "x"' } },
    { secrets: ['whsec_a'], headers: { authorization: 'Basic x', 'x-team': 'headers:' } },
  ])('%j are read as they were written', (credentials) => {
    expect(parseCredentials(formatCredentials(credentials))).toEqual(credentials);
  });

  it('without headers, the text is the one of older versions', () => {
    expect(formatCredentials({ secrets: [], headers: {} })).toBe('');
    expect(formatCredentials({ secrets: ['whsec_a'], headers: {} })).toBe('["whsec_a"]');
  });

  it('with headers, it is a list of texts to older versions', () => {
    const texts: unknown = JSON.parse(formatCredentials({ secrets: ['whsec_a'], headers: { a: 'b' } }));
    expect(texts).toEqual(['whsec_a', expect.any(String)]);
  });
});
