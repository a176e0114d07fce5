import { StoreUnavailableError } from '@mailhook/core';
import type { FoundToken } from '@mailhook/core';
import { createTokenDirectory } from './token-directory.ts';
import { hashToken } from './tokens.ts';

const TOKEN = 'mhk_token';
const stored: FoundToken = {
  id: 't1',
  account: 'acc',
  tokenHash: hashToken(TOKEN),
  label: '',
  access: 'read',
  createdAt: '',
  expiresAt: null,
};

describe('while the store is down', () => {
  const directoryOf = () => {
    let isDown = false;
    let nowMs = 0;
    const directory = createTokenDirectory({
      store: {
        findByToken: () => (isDown ? Promise.reject(new StoreUnavailableError('down')) : Promise.resolve(stored)),
      },
      now: () => nowMs,
    });
    return {
      directory,
      goDown: () => {
        isDown = true;
        nowMs += 60_000;
      },
    };
  };

  test('a known token stays valid', async () => {
    const { directory, goDown } = directoryOf();
    await directory.find(TOKEN);
    goDown();
    expect(await directory.find(TOKEN)).toMatchObject({ account: 'acc', name: 't1', access: 'read' });
  });

  test('a revoked token does not', async () => {
    const { directory, goDown } = directoryOf();
    await directory.find(TOKEN);
    directory.forget('t1');
    goDown();
    await expect(directory.find(TOKEN)).rejects.toThrow(StoreUnavailableError);
  });
});
