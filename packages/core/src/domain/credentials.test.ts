import { limitsOf, NO_LIMITS } from '../contracts/destination-settings.ts';
import { formatCredentials, limitsIn, parseCredentials, secretsAt } from './credentials.ts';

describe('credentials in a record', () => {
  it.each([
    { secrets: [], headers: {}, limits: NO_LIMITS },
    { secrets: ['whsec_a', 'whsec_b'], headers: {}, limits: NO_LIMITS },
    { secrets: [], headers: { authorization: 'Bearer "x"' }, limits: NO_LIMITS },
    { secrets: ['whsec_a'], headers: { authorization: 'Basic x', 'x-team': 'a' }, limits: NO_LIMITS },
    {
      secrets: ['whsec_a'],
      headers: { 'x-team': '{"limits":{"maxRequestsPerSecond":5}' },
      limits: limitsOf({ maxRequestsPerSecond: 20 }),
    },
    { secrets: [], headers: { 'x-team': '{"limits":{"maxRequestsPerSecond":5}' }, limits: NO_LIMITS },
    { secrets: ['whsec_b'], endingSecrets: [['whsec_a', 5]] as const, headers: {}, limits: NO_LIMITS },
  ])('%j are read as they were written', (credentials) => {
    expect(parseCredentials(formatCredentials(credentials))).toEqual(credentials);
  });

  it('are one JSON object without empty values', () => {
    expect(formatCredentials({ secrets: [], headers: {}, limits: NO_LIMITS })).toBe('');
    expect(
      formatCredentials({ secrets: ['whsec_a'], headers: { a: 'b' }, limits: limitsOf({ maxRequestsPerSecond: 5 }) }),
    ).toBe('{"limits":{"maxRequestsPerSecond":5},"secrets":["whsec_a"],"headers":{"a":"b"}}');
  });

  it('sign with secrets without an end, and with others until their end', () => {
    const endingSecrets = [['whsec_a', 5]] as const;
    const credentials = { secrets: ['whsec_b'], headers: {}, limits: NO_LIMITS };
    expect(secretsAt(credentials, 4)).toEqual(['whsec_b']);
    expect(secretsAt({ ...credentials, endingSecrets }, 4)).toEqual(['whsec_a', 'whsec_b']);
    expect(secretsAt({ ...credentials, endingSecrets }, 5)).toEqual(['whsec_b']);
  });

  it('shows the limits without parsing the rest', () => {
    const limits = limitsOf({ maxRequestsPerSecond: 7 });
    expect(limitsIn(formatCredentials({ secrets: [], headers: {}, limits }))).toEqual(limits);
    expect(limitsIn(`${formatCredentials({ secrets: [], headers: {}, limits }).slice(0, -1)},no JSON`)).toEqual(limits);
    expect(limitsIn(formatCredentials({ secrets: ['whsec_a'], headers: {}, limits: NO_LIMITS }))).toEqual(NO_LIMITS);
    expect(limitsIn('')).toEqual(NO_LIMITS);
  });
});
