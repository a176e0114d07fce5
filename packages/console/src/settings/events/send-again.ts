import { replayInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import { action } from '../family.ts';

/** Sends the events of a delivered attempt again. */
export const sendAttemptAgain = action({
  audit: 'start a replay',
  run: async ({ api, account, form: { attempt = '' } }) => {
    const { destination, sent, missing } = await api.eventLog.sendAgain(account, attempt);
    const text = texts.attempt.sentAgain({ events: sent });
    return done(missing > 0 ? [text, ' ', texts.attempt.notInLog({ events: missing })] : text, {
      changed: { object: destination },
    });
  },
});

/** Sends one accepted event to an endpoint again. */
export const sendAgain = action({
  audit: 'start a replay',
  input: ({ entry }) => parseOrThrow(replayInput, { entries: [entry] }),
  run: async ({ api, account, form: { destination = '' }, input }) => {
    await api.eventLog.replay(account, destination, input);
    return done(texts.eventLog.sentAgain);
  },
});
