import { PassThrough } from 'node:stream';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aCampaignEvent, aCertificate, acknowledge, eventually, startDeafHost, startReceiver } from '@mailhook/testing';
import type { ReplyAction } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../services/api/src/api-rig.suite.ts';
import { browserOf, PAGE, textOf } from '../../services/api/src/settings-page-rig.suite.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig } from '../../services/campaign-batcher/src/config.ts';

const HASHES = ['hash-of-anna', 'hash-of-ben', 'hash-of-carl', 'hash-of-dora'];
type Item = { hash: string; status?: unknown };
const each = (change: (item: Item) => Item) => (items: readonly Item[]) => ({ json: items.map(change) });
const always = (action: ReplyAction) => () => action;

interface Fault {
  readonly what: string;
  /** Answers a batch, given the items of a correct reply. */
  readonly answer?: (items: readonly Item[]) => ReplyAction;
  readonly host?: 'deaf' | 'self-signed';
  readonly isSigned?: boolean;
  readonly error: string;
  readonly advice: string;
}

const SERVER_ERROR = 'The receiver answered HTTP';
const NO_ARRAY = 'The reply is not a JSON array of {hash, status}:';
const NONE = 'The acknowledgement confirms none of 4 events:';
const ONE_EACH =
  'Answer with HTTP 200 and a JSON array [{"hash": "...", "status": true}, ...], one item for each event.';

const FAULTS: readonly Fault[] = [
  {
    what: 'wrong JSON',
    answer: always({ json: { status: 'ok' } }),
    error: `${NO_ARRAY} it is a JSON object.`,
    advice: `${ONE_EACH} {"status": "ok"} is for the connection test only.`,
  },
  {
    what: 'a PHP warning before the JSON',
    answer: (items) => ({
      body: `<br />\n<b>Warning</b>:  Undefined array key &quot;ip&quot; in <b>/srv/hook.php</b> on line <b>12</b><br />\n${JSON.stringify(items)}`,
    }),
    error: `${NO_ARRAY} PHP printed “Warning: Undefined array key "ip" in /srv/hook.php on line 12” before the JSON.`,
    advice:
      'Set display_errors to Off in PHP, so that its messages go to the error log, and fix what this one reports.',
  },
  {
    what: 'a web page',
    answer: always({ body: '<!DOCTYPE html><html><head><title>Log in</title></head><body>...</body></html>' }),
    error: `${NO_ARRAY} it is HTML or XML: “Log in”.`,
    advice:
      'Check that the address leads to your webhook handler, not to a page or a login form. Print nothing but the JSON.',
  },
  {
    what: 'wrong hashes',
    answer: each((item) => ({ ...item, hash: item.hash.toUpperCase() })),
    error: `${NONE} it has no item for “hash-of-anna”, but one for “HASH-OF-ANNA”, which was not sent.`,
    advice: 'Send back each event’s hash exactly as it came: not shortened, not in another case, not computed again.',
  },
  {
    what: 'the text "true"',
    answer: each((item) => ({ ...item, status: 'true' })),
    error: `${NONE} the "status" of “hash-of-anna” is the text “true” instead of the boolean true.`,
    advice: 'Write true without quotation marks: only the boolean confirms.',
  },
  {
    what: 'half of the events',
    answer: (items) => ({ json: items.slice(0, 2) }),
    error: 'The acknowledgement leaves 2 of 4 events unconfirmed: it has no item for “hash-of-carl”, “hash-of-dora”.',
    advice: 'Confirm every event that you have stored, also those that you do not use and those that you know already.',
  },
  {
    what: '204',
    answer: always({ status: 204 }),
    error: `${SERVER_ERROR} 204 No Content; a batch is acknowledged with HTTP 200.`,
    advice: ONE_EACH,
  },
  {
    what: 'a slow reply',
    answer: always({ hang: 'reply' }),
    error: 'The receiver did not answer in time.',
    advice: 'Answer within 5 seconds. Store the request, reply, and then process it.',
  },
  {
    what: 'dropped packets',
    host: 'deaf',
    error: 'The receiver could not be reached: no connection was made in time.',
    advice:
      'Nothing at this address takes the connection. Check the address and its port, and that a firewall lets requests from the internet through.',
  },
  {
    what: '500',
    answer: always({ status: 500, body: 'an inner secret' }),
    error: `${SERVER_ERROR} 500 Internal Server Error.`,
    advice: 'Your server failed. Its error log shows why.',
  },
  {
    what: 'a redirect',
    answer: always({ redirect: 'https://example.com/hook' }),
    error: `${SERVER_ERROR} 302 Found; redirects are not followed.`,
    advice: 'Enter the address that your server redirects to.',
  },
  {
    what: '401 without a signing secret',
    answer: always({ status: 401 }),
    error: `${SERVER_ERROR} 401 Unauthorized.`,
    advice:
      'Your server, an API gateway or a firewall wants a login. Enter it under “Login and headers”, or let POST requests to this path through without one. If your server verifies signatures, create a signing secret.',
  },
  {
    what: '401 with a signing secret',
    answer: always({ status: 401 }),
    isSigned: true,
    error: `${SERVER_ERROR} 401 Unauthorized.`,
    advice:
      'Your server refuses the request. If it verifies signatures: compare its signing secret with the ' +
      'endpoint’s own secret, or else with that of your account, verify the body as it came (before a ' +
      'framework parses it), and set its clock. Otherwise enter its login under “Login and headers”, or let ' +
      'POST requests to this path through without one.',
  },
  {
    what: 'a self-signed certificate',
    host: 'self-signed',
    error: 'The receiver could not be reached: TLS: the certificate is self-signed.',
    advice: 'Use a certificate of a public authority, such as Let’s Encrypt.',
  },
];

/**
 * What the settings page says about an attempt, for each fault of a receiver. The workers deliver, and the page shows
 * their log.
 */
describe('the settings page on faults of a receiver', () => {
  let api: ApiRig;
  let batcher: Closeable;

  beforeAll(async () => {
    api = await startApi();
    const config = loadConfig({
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      REDIS_URL: api.redisUrl,
      QUEUE_PREFIX: api.prefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      RETRY_SCHEDULE: '1h',
    });
    const stream = new PassThrough().resume();
    batcher = await composeBatcher(config, createLogger({ level: 'warn', service: 'batcher', pretty: false, stream }));
  });
  afterAll(async () => {
    await batcher.close();
    await api.close();
  });

  async function hostOf({ host, answer }: Fault) {
    if (host === 'deaf') {
      const deaf = await startDeafHost();
      return { url: `http://127.0.0.1:${deaf.port}`, close: () => deaf.close() };
    }
    return startReceiver({
      ...(host === 'self-signed' ? { tls: aCertificate({ name: 'localhost' }) } : {}),
      reply: ({ json }) => answer?.(Array.isArray(json) ? (acknowledge(json).json as Item[]) : []) ?? {},
    });
  }

  /** What the only attempt says when it is opened: the reason, the advice, and the next attempt. */
  async function shown(token: string): Promise<readonly string[]> {
    const browser = await browserOf(api, token);
    const attempt = await eventually(
      async () => /id="attempt-([^"]+)"/.exec((await browser.get(`${PAGE}/deliveries`)).text)?.[1],
      { what: 'the attempt on the page', withinMs: 20_000 },
    );
    const { text } = await browser.get(`${PAGE}/deliveries?attempt=${attempt}`);
    const [, error = '', rest = ''] =
      /class="of-endpoint".*?<\/p>.*?<strong>(.*?)<\/strong>(.*?)<\/p>/s.exec(text) ?? [];
    const [advice = '', next = ''] = textOf(rest).split(/(?=Next attempt)/);
    return [error, advice, next].map((part) => textOf(part).trim());
  }

  test.each(FAULTS)('$what', async (fault) => {
    const { id: account, token } = await api.newAccount();
    const call = api.as(token);
    const host = await hostOf(fault);
    if (fault.isSigned === true) await call('post', '/v3/webhook/secrets');
    await call('put', '/v3/webhook/campaign', { address: `${host.url}/hook` });
    await api.post(HASHES.map((hash) => aCampaignEvent({ account, hash })));
    const [error, advice, next] = await shown(token);
    expect([error, advice]).toEqual([fault.error, fault.advice]);
    expect(next).toContain('Next attempt');
    await host.close();
  });

  test.each<readonly [string, Pick<Fault, 'answer' | 'host' | 'isSigned'>, string]>([
    ['dropped packets', { host: 'deaf' }, 'no connection was made in time. Nothing at this address'],
    [
      'a PHP notice',
      { answer: always({ body: 'Notice: x in y.php on line 1\n{"status":"ok"}' }) },
      'The server responded in an invalid format. PHP printed “Notice: x in y.php on line 1” before the JSON. Set display_errors',
    ],
    [
      'a page',
      { answer: always({ body: '<h1>Hello</h1>' }) },
      'The server responded in an invalid format. It is HTML or XML: “Hello”. Check that',
    ],
    [
      'another status',
      { answer: always({ json: { status: true } }) },
      'The server responded in an invalid format. Its "status" is true instead of the text “ok”. The server answered',
    ],
    [
      '401 with a signing secret',
      { answer: always({ status: 401 }), isSigned: true },
      'Your server answered HTTP 401 Unauthorized. Your server refuses the request. If it verifies',
    ],
    [
      '401 without one',
      { answer: always({ status: 401 }) },
      'Your server answered HTTP 401 Unauthorized. Your server, an API gateway or a firewall wants a login',
    ],
  ])('the connection test: %s', async (_what, fault, text) => {
    const { token } = await api.newAccount();
    const host = await hostOf({ what: '', error: '', advice: '', answer: always({}), ...fault });
    if (fault.isSigned === true) await api.as(token)('post', '/v3/webhook/secrets');
    const browser = await browserOf(api, token);
    const page = await browser.send({ do: 'test-campaign', address: `${host.url}/hook` });
    const outcome = /role="status" data-outcome>(.*?)<\/div>/s.exec(page.text)?.[1] ?? '';
    expect(textOf(outcome)).toContain(text);
    await host.close();
  });
});
