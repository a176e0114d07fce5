import type { CountsByProven } from '../mailbox/commands.ts';
import { WaitingTaker } from './waiting-taker.ts';

const NONE: CountsByProven = { proven: 0, others: 0 };
const limits = {
  batchMax: 1,
  windowMax: 4,
  maxAgeMs: 1000,
  slots: 100,
  ownedMax: 100,
  inFlightCharsMax: 1e6,
  sliceMs: 1,
};

test.each([
  ['succeeds', false],
  ['fails', true],
])('an offer during a take is not lost when the take %s', async (_, isFailing) => {
  const wanted: CountsByProven[] = [];
  const taker: WaitingTaker = new WaitingTaker({
    commands: {
      take: (_worker, _claim, most) => {
        wanted.push(most);
        // Redis has counted the waiting destinations before these began to wait.
        if (wanted.length === 1) taker.offer({ proven: 0, others: 3 });
        return isFailing && wanted.length === 1
          ? Promise.reject(new Error('no Redis'))
          : Promise.resolve({ replies: [], waiting: NONE });
      },
    },
    ...{ worker: 'w', limits, room: () => ({ proven: 10, others: 10 }), reserveClaims: () => 1 },
    ...{ onTaken: () => undefined, onEnd: () => undefined, onError: () => undefined },
  });
  taker.offer({ proven: 1, others: 0 });
  await new Promise(setImmediate);
  expect(wanted).toEqual([
    { proven: 10, others: 0 },
    { proven: 0, others: 10 },
  ]);
  expect(taker.waiting).toEqual(NONE);
});
