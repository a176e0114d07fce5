import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from './webhook-headers.ts';

const aSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const body = '{"module":"transactional_email","reason":"Zoë \\"q\\" \u2028"}';

describe('webhook headers', () => {
  it('carry id, Unix seconds and attempt, and no signature without a secret', () => {
    expect(webhookHeaders({ id: 'msg_1', attempt: 3, body, secrets: [], nowMs: 1_700_000_000_999 })).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-attempt': '3',
    });
  });

  it('are signed with every secret, as the Standard Webhooks library verifies', () => {
    const secrets = [aSecret(), aSecret()];
    const headers = webhookHeaders({ id: 'msg_2', attempt: 1, body, secrets, nowMs: Date.now() });
    for (const secret of secrets) {
      expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
      expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
    }
    expect(() => new Webhook(aSecret()).verify(body, headers)).toThrow();
  });
});
