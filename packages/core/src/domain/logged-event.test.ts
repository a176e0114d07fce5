import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { isVersion1 } from '../contracts/event-types.ts';
import { typeOfEvent } from '../contracts/producer-event.ts';
import type { CampaignInput, ProducerEvent } from '../contracts/producer-event.ts';
import { anyCampaignEvent, anyEvent, anyHash, anyTransactionalEvent } from './arbitrary-events.suite.ts';
import { eventHash } from './event-hash.ts';
import { campaignFragment, notificationFragment } from './fragment.ts';
import {
  eventOfFields,
  fieldsOfEvent,
  loggedFields,
  loggedFragment,
  loggedId,
  loggedText,
  loggedType,
} from './logged-event.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const fragmentOf = (event: ProducerEvent): string =>
  event.module === 'campaign'
    ? campaignFragment(event, event.hash ?? eventHash(event, digest))
    : notificationFragment(event);

const anyWithHash = fc.tuple(anyCampaignEvent, anyHash).map(([event, hash]): CampaignInput => ({ ...event, hash }));
const anyLogged = fc.oneof(anyEvent, anyCampaignEvent, anyWithHash, anyTransactionalEvent);

test('a logged chunk gives back every event, its id, its type and its fragment of version 1', () => {
  fc.assert(
    fc.property(anyLogged, fc.boolean(), (event, isWanted) => {
      const { account, module } = event;
      const text = loggedText(event, isWanted, digest);
      expect(eventOfFields({ account, module, fields: loggedFields(module, text) })).toEqual(event);
      expect(loggedId(text)).toBe(event.id);
      expect(loggedType(module, text)).toBe(typeOfEvent(event));
      const hasFragment = isWanted && isVersion1(module, typeOfEvent(event));
      expect(text.startsWith('\n')).toBe(!hasFragment);
      if (hasFragment) expect(loggedFragment(module, text)).toBe(fragmentOf(event));
    }),
  );
});

test('the log holds no line breaks and gives back every event', () => {
  fc.assert(
    fc.property(anyLogged, (event) => {
      expect(fieldsOfEvent(event).fields).not.toContain('\n');
      expect(eventOfFields(fieldsOfEvent(event))).toEqual(event);
    }),
  );
});
