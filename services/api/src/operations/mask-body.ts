import { ENUMERATED_VALUES } from '@mailhook/core';
import { hasRecipientData, isFreeField, MASKED, maskField, maskText } from '@mailhook/platform/logger';

/**
 * Masks a JSON value for operators: everything in an event but what identifies it, fields with recipient data anywhere
 * else, and email addresses in all texts and in the keys of objects.
 */
export const maskBody = (value: unknown): unknown => maskValue('', value);

function maskValue(field: string, value: unknown): unknown {
  if (field === 'event') return maskEvent(value);
  if (field === 'events' && Array.isArray(value)) return value.map(maskEvent);
  if (typeof value === 'string') return maskField(field, value);
  if (Array.isArray(value)) return value.map((one) => maskValue(field, one));
  if (isObject(value)) return maskFields(value, maskValue);
  return typeof value === 'number' && hasRecipientData(field) ? MASKED : value;
}

/** Values of an event's fields that say nothing about a recipient. */
const KNOWN_VALUES: ReadonlySet<unknown> = new Set(['transactional_email', 'campaign', ...ENUMERATED_VALUES]);
const IDENTIFYING: ReadonlySet<string> = new Set(['account', 'campaign', 'hash', 'id', 'messageId', 'email']);
const TIMES: ReadonlySet<string> = new Set(['time', 'timestamp']);

/** Masks an event as its producer sent it, so that it may have any shape. */
const maskEvent = (event: unknown): unknown => maskEventValue('', event);

function maskEventValue(field: string, value: unknown): unknown {
  if (isFreeField(field)) return MASKED;
  if (Array.isArray(value)) return value.map((one) => maskEventValue('', one));
  if (isObject(value)) return maskFields(value, maskEventValue);
  if (typeof value === 'string' && IDENTIFYING.has(field)) return maskField(field, value);
  const isShown = KNOWN_VALUES.has(value) || (typeof value === 'number' && TIMES.has(field));
  return isShown || value === null || typeof value === 'boolean' ? value : MASKED;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const maskFields = (value: object, mask: (field: string, value: unknown) => unknown): object =>
  Object.fromEntries(
    Object.entries(value).map(([field, one]: [string, unknown]) => [maskText(field), mask(field, one)]),
  );
