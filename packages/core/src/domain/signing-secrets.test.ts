import { rolled, signingAt, withoutSecret, withSecret } from './signing-secrets.ts';
import type { StoredSecret } from './signing-secrets.ts';

const at = (hour: number): string => `2026-01-01T0${hour}:00:00.000Z`;
const secret = (id: string, hour = 0, endsAt: string | null = null): StoredSecret => ({
  id,
  secret: 'whsec_',
  createdAt: at(hour),
  endsAt,
});

describe('signing secrets', () => {
  it('are two at most, and one that has ended makes room', () => {
    const two = withSecret([secret('a')], secret('b')) ?? [];
    expect(two.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(withSecret(two, secret('c'))).toBeUndefined();
    const ended = [secret('a', 0, at(2)), secret('b')];
    expect(withSecret(ended, secret('c', 1))).toBeUndefined();
    expect(withSecret(ended, secret('c', 2))?.map(({ id }) => id)).toEqual(['b', 'c']);
  });

  it('that are rolled sign beside the new one until their end', () => {
    const both = rolled([secret('a')], secret('b', 1), at(3)) ?? [];
    expect(both.map(({ id, endsAt }) => [id, endsAt])).toEqual([
      ['a', at(3)],
      ['b', null],
    ]);
    expect(signingAt(both, at(2)).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(signingAt(both, at(3)).map(({ id }) => id)).toEqual(['b']);
    expect(rolled(both, secret('c', 2), at(5))).toBeUndefined();
    expect(rolled(both, secret('c', 3), at(5))?.map(({ id, endsAt }) => [id, endsAt])).toEqual([
      ['b', at(5)],
      ['c', null],
    ]);
  });

  it('never all end: without the new one, the former has no end any more', () => {
    const both = [secret('a', 0, at(3)), secret('b', 1)];
    expect(withoutSecret(both, 'b', at(2))).toEqual([secret('a')]);
    expect(withoutSecret(both, 'a', at(2))).toEqual([secret('b', 1)]);
    expect(withoutSecret(both, 'b', at(3))).toEqual([]);
    expect(withoutSecret(both, 'a', at(3))).toBeUndefined();
    expect(withoutSecret(both, 'x', at(2))).toBeUndefined();
  });
});
