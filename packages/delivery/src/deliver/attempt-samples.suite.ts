import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';

/** A batch of four events before its first attempt. */
export const aBatch = (more: Partial<FrozenBatch> = {}): FrozenBatch => ({
  ...{ id: 'w1.1.1', lane: 'f', attempt: 1, events: 4, acceptedAtMs: 0, content: 'e0\ne1\ne2\ne3', webhookId: '' },
  ...{ step: 0, refusedOnly: true, split: '', search: '', traces: [] },
  ...more,
});

/** A target with a successful last attempt. */
export const aTarget = (more: Partial<SendTarget> = {}): SendTarget => ({
  ...{ address: 'http://127.0.0.1:9/', version: '1', account: 'acc', secrets: [], sizeLimit: undefined },
  isProven: true,
  ...more,
});
