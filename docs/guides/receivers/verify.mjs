// Is a request from Mailhook? Node's standard library only.
import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * @param {Record<string, string | undefined>} headers with names in lower case
 * @param {string} body exactly as it came, before any parsing
 * @param {string[]} secrets the signing secrets: whsec_ and base64
 */
export function isFromMailhook(headers, body, secrets) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const given = signatures.split(' ').map((signature) => Buffer.from(signature));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const right = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
    return given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  });
}
