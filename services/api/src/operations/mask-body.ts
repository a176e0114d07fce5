import { maskText } from '@mailhook/platform/logger';

/** A JSON value with every address-like string in it masked, keys of objects included. */
export function maskBody(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskBody);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]: [string, unknown]) => [maskText(key), maskBody(field)]),
  );
}
