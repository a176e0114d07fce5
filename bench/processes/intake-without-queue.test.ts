import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { aCampaignEvent } from '@mailhook/testing';
import type { Answer, Call } from './calls.ts';

test('takes events as the API does, although no compiler checks what it gives the API', async () => {
  const child = fork(path.join(import.meta.dirname, 'intake-without-queue.ts'), {
    serialization: 'advanced',
    execArgv: ['--conditions=@mailhook/source', '--import', 'tsx'],
  });
  try {
    const answered = once(child, 'message') as Promise<[Answer]>;
    child.send({ id: 1, method: 'start', input: { token: 'mhp_bench', accounts: ['acc'] } } satisfies Call);
    const [answer] = await answered;
    const response = await fetch(`http://127.0.0.1:${String('result' in answer && answer.result)}/v3/events`, {
      method: 'POST',
      headers: { authorization: 'Bearer mhp_bench', 'content-type': 'application/json' },
      body: JSON.stringify(aCampaignEvent({ account: 'acc' })),
    });
    expect(await response.json()).toEqual({ accepted: 1 });
  } finally {
    child.kill();
  }
});
