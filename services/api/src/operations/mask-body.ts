import { maskText } from '@mailhook/platform/logger';

/** Masks every email address in a JSON value, including the keys of objects. */
export function maskBody(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskBody);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [maskText(key), maskBody(field)]),
  );
}
