import { StoreUnavailableError } from '@mailhook/core';
import type { StoredProducerToken } from '@mailhook/core';
import { createProducerTokens } from './producer-tokens.ts';
import { hashToken } from './tokens.ts';

const stored = (token: string): StoredProducerToken => ({
  id: `id-${token}`,
  tokenHash: hashToken(token),
  label: '',
  accounts: null,
  createdAt: '2026-01-02T03:04:05Z',
  expiresAt: null,
});

describe('producer tokens in memory', () => {
  const used: string[] = [];
  const setUp = () => {
    const state = { tokens: [stored('one')], isDown: false, nowMs: 0, reads: 0 };
    const producers = createProducerTokens({
      store: {
        listProducerTokens: () => {
          state.reads += 1;
          const { tokens } = state;
          return state.isDown ? Promise.reject(new StoreUnavailableError('down')) : Promise.resolve(tokens);
        },
      },
      environmentToken: 'environment-token',
      onUse: (token) => used.push(token),
      now: () => state.nowMs,
    });
    return { state, producers };
  };

  it('knows the token of the environment without the store', async () => {
    const { state, producers } = setUp();
    state.isDown = true;
    const environment = { token: 'environment', accounts: null };
    expect(producers.findNow('environment-token')).toEqual(environment);
    expect(await producers.find('environment-token')).toEqual(environment);
    expect(state.reads).toBe(0);
    await expect(producers.find('one')).rejects.toThrow(StoreUnavailableError);
  });

  it('finds a stored token at once after the first reading, until 800 ms later or a change', async () => {
    const { state, producers } = setUp();
    expect(producers.findNow('one')).toBeUndefined();
    expect(await producers.find('one')).toEqual({ token: 'id-one', accounts: null });
    expect(producers.findNow('one')).toEqual({ token: 'id-one', accounts: null });
    expect(producers.findNow('two')).toBeUndefined();
    expect(used).toContain('id-one');
    state.nowMs = 800;
    expect(producers.findNow('one')).toBeUndefined();
    await producers.find('one');
    producers.forget();
    state.tokens = [];
    expect(producers.findNow('one')).toBeUndefined();
    expect(await producers.find('one')).toBeUndefined();
  });

  it('renews the list of a busy producer in time', async () => {
    const { state, producers } = setUp();
    await producers.find('one');
    for (const nowMs of [300, 600, 900, 1200, 1500]) {
      state.nowMs = nowMs;
      expect(producers.findNow('one')).toBeDefined();
      await new Promise(setImmediate);
    }
    expect(state.reads).toBeLessThanOrEqual(4);
  });

  it('goes on with the known tokens while the store is down', async () => {
    const { state, producers } = setUp();
    await producers.find('one');
    state.isDown = true;
    state.nowMs = 10_000;
    expect(await producers.find('one')).toBeDefined();
    expect(await producers.find('two')).toBeUndefined();
  });

  it('reads again if a token was revoked during the reading', async () => {
    const { state, producers } = setUp();
    const finding = producers.find('one');
    state.tokens = [];
    producers.forget();
    expect(await finding).toBeUndefined();
  });
});
