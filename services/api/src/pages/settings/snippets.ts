export interface Snippet {
  readonly id: 'node' | 'python' | 'php';
  readonly name: string;
  readonly code: string;
}

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto';

// headers: with lower-case names. body: the request's bytes or text as they came. secret: "whsec_..."
export function isFromMailhook(headers, body, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false; // older than 5 minutes: a replay
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = Buffer.from('v1,' + createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest('base64'));
  return String(signatures).split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const PYTHON = `import base64, hashlib, hmac, time

# headers: with lower-case names. body: the request's bytes as they came. secret: "whsec_..."
def is_from_mailhook(headers, body, secret):
    sent_at = headers.get("webhook-timestamp", "0")
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:  # older than 5 minutes: a replay
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)
`;

const PHP = `<?php
// $headers: with lower-case names. $body: file_get_contents('php://input'). $secret: "whsec_..."
function is_from_mailhook(array $headers, string $body, string $secret): bool
{
    $time = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($time) || abs(time() - (int) $time) > 300) return false; // older than 5 minutes: a replay
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = ($headers['webhook-id'] ?? '') . '.' . $time . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) return true;
    }
    return false;
}
`;

/** Examples that verify a signature (Standard Webhooks). Customers copy them from the page, so each is complete and needs no library. */
export const SNIPPETS: readonly Snippet[] = [
  { id: 'node', name: 'Node.js', code: NODE },
  { id: 'python', name: 'Python', code: PYTHON },
  { id: 'php', name: 'PHP', code: PHP },
];
