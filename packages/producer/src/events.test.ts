import type { ProducerEvent as Accepted } from '@mailhook/core';
import type { ProducerEvent } from './events.ts';

/** `true` if each type can be assigned to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

test('the published types of events are those that the api accepts', () => {
  // The compiler checks it, because the api's schema is not part of the package.
  const isSame: Same<ProducerEvent, Readonly<Accepted>> = true;
  expect(isSame).toBe(true);
});
