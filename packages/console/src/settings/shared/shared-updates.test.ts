import { eventually } from '@mailhook/testing';
import { SharedUpdates } from './shared-updates.ts';

/** Builds that end when the test says so. */
function rig(sharedMs = 3_600_000) {
  const started: { readonly name: string; end(): void; fail(error: Error): void }[] = [];
  const updates = new SharedUpdates<string>({
    sharedMs,
    build: (account, question) =>
      new Promise((resolve, reject) => {
        const name = `${account} ${question}`;
        const document = `${name} ${started.length + 1}`;
        started.push({ name, end: () => resolve({ status: 200, document }), fail: reject });
      }),
  });
  const count = (builds: number) => eventually(() => started.length >= builds, { what: `${builds} builds` });
  const end = async (build: number) => {
    await count(build);
    started[build - 1]?.end();
  };
  const documentOf = async (account: string, question: string) => (await updates.of(account, question)).document;
  return { updates, started, count, end, documentOf };
}

describe('shared updates of settings pages', () => {
  it('are built once for all pages of an account with the same question', async () => {
    const { end, documentOf, started } = rig();
    const polls = Array.from({ length: 200 }, () => documentOf('acc', 'all'));
    await end(1);
    expect(new Set(await Promise.all(polls))).toEqual(new Set(['acc all 1']));
    expect(await documentOf('acc', 'all')).toBe('acc all 1');
    expect(started).toHaveLength(1);
  });

  it('are built again after the account changed, even if a build is in progress', async () => {
    const { updates, end, count, documentOf } = rig();
    const before = documentOf('acc', 'all');
    await count(1);
    updates.forget('acc');
    const after = documentOf('acc', 'all');
    await end(1);
    await end(2);
    expect(await Promise.all([before, after])).toEqual(['acc all 1', 'acc all 2']);
    expect(await documentOf('acc', 'all')).toBe('acc all 2');
  });

  it('are built again when they are too old', async () => {
    const { end, documentOf, started } = rig(1);
    const first = documentOf('acc', 'all');
    await end(1);
    await first;
    const poll = () => {
      const later = documentOf('acc', 'all');
      return started.length > 1 ? { later } : undefined;
    };
    const { later } = await eventually(poll, { what: 'a second build' });
    await end(2);
    expect(await later).toBe('acc all 2');
  });

  it('are not kept if a build fails', async () => {
    const { end, count, documentOf, started } = rig();
    const failed = documentOf('acc', 'all');
    await count(1);
    started[0]?.fail(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    const again = documentOf('acc', 'all');
    await end(2);
    expect(await again).toBe('acc all 2');
  });
});
