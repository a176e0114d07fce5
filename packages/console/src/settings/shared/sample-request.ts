import { createHash } from 'node:crypto';
import {
  arrayBody,
  batchBody,
  campaignFragment,
  eventHash,
  fullExample,
  notificationFragment,
  objectOf,
  version2Fragment,
} from '@mailhook/core';
import type { EventModule, EventTypeName, Shape } from '@mailhook/core';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

const indented = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);

/**
 * The body of a request with an example of this type, as core writes it, with line breaks. In version 1 the module
 * decides the shape.
 */
export function sampleBody(module: EventModule, type: EventTypeName, version: 1 | 2, shape: Shape): string {
  const event = fullExample(module, type);
  if (version === 2) {
    const fragment = version2Fragment(event, digest);
    if (shape === 'batch') return indented(batchBody(fragment, 1));
    return indented(shape === 'array' ? arrayBody(fragment) : objectOf(fragment));
  }
  if (event.module === 'transactional_email') return indented(notificationFragment(event));
  return indented(batchBody(campaignFragment(event, event.hash ?? eventHash(event, digest)), 1));
}
