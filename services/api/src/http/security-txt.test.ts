import { startApi } from '../api-rig.suite.ts';
import { loadConfig } from '../config.ts';

const DAY_MS = 86_400_000;
const PATH = '/.well-known/security.txt';

/** Starts an api with these variables, and resolves with what it answers at the path. */
async function answerWith(environment: Record<string, string>, method = 'GET'): Promise<Response> {
  const api = await startApi(environment);
  try {
    return await fetch(`${api.baseUrl}${PATH}`, { method });
  } finally {
    await api.close();
  }
}

describe('security.txt', () => {
  it('is not there without a contact', async () => {
    expect((await answerWith({})).status).toBe(404);
  });

  it('has the contact, an end within a year that changes once a day, its own address and languages', async () => {
    const reply = await answerWith({
      SECURITY_CONTACT: 'mailto:security@example.com',
      PUBLIC_URL: 'https://hooks.example.com/',
      PORTAL_LANGUAGE: 'pl',
    });
    const text = await reply.text();
    const [, expires = ''] = /^Expires: (.*)$/m.exec(text) ?? [];
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'public, max-age=86400',
    ]);
    expect(text).toBe(
      `Contact: mailto:security@example.com\nExpires: ${expires}\nPreferred-Languages: pl, en\nCanonical: ` +
        `https://hooks.example.com${PATH}\n`,
    );
    expect(expires).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/);
    const daysLeft = (Date.parse(expires) - Date.now()) / DAY_MS;
    expect([daysLeft > 178, daysLeft <= 180]).toEqual([true, true]);
  });

  it('names no address of its own that is not https, and takes only GET', async () => {
    const environment = { SECURITY_CONTACT: 'https://example.com/report', PUBLIC_URL: 'http://127.0.0.1:3000' };
    const text = await (await answerWith(environment)).text();
    expect(text).toMatch(/^Contact: https:\/\/example\.com\/report\nExpires: .*\nPreferred-Languages: en\n$/);
    expect((await answerWith(environment, 'POST')).status).toBe(405);
  });

  test.each([
    'security@example.com',
    'http://example.com/report',
    'mailto:nobody',
    'https://',
    'mailto:a@example.com\nPolicy: https://evil.example',
    'https://example.com/\u202ereport',
    'mailto:a\u202e@example.com',
  ])('refuses the contact %j', (contact) => {
    const tokens = { ADMIN_TOKEN: 'an-admin-token-of-this-test', PRODUCER_TOKEN: 'the-producer-token-of-a-test' };
    expect(() => loadConfig({ ...tokens, SECURITY_CONTACT: contact })).toThrow('SECURITY_CONTACT is');
  });
});
