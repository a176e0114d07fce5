import { replayInput } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import { action } from '../family.ts';

/** Sends one accepted event to an endpoint again. */
export const sendAgain = action({
  audit: 'start a replay',
  input: ({ entry }) => parseOrThrow(replayInput, { entries: [entry] }),
  run: async ({ api, account, form: { destination = '' }, input }) => {
    await api.eventLog.replay(account, destination, input);
    return done(texts.eventLog.sentAgain);
  },
});
