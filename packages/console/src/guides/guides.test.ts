import { readdirSync, readFileSync } from 'node:fs';
import { ADMIN_TOKEN, startApi } from '../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../../../services/api/src/api-rig.suite.ts';
import { GUIDES_PATH, loadGuides, RUNBOOK_PATH } from './guides.ts';

const GUIDES = 'docs/guides';

describe('guides', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const get = async (
    url: string,
  ): Promise<{ status: number; type: string | null; policy: string | null; text: string }> => {
    const reply = await fetch(`${api.baseUrl}${url}`);
    const { headers, status } = reply;
    return {
      status,
      type: headers.get('content-type'),
      policy: headers.get('content-security-policy'),
      text: await reply.text(),
    };
  };

  test('all guides and the protocol are served, and every link leads to a page and to a heading in it', async () => {
    const texts = new Map<string, string>();
    const open = async (url: string): Promise<void> => {
      const { status, text } = await get(url);
      expect([url, status]).toEqual([url, 200]);
      texts.set(url, text);
      for (const link of linksIn(text)) if (!texts.has(link) && link.startsWith(GUIDES_PATH)) await open(link);
    };
    await open(GUIDES_PATH);
    const names = readdirSync(GUIDES).filter((name) => name.endsWith('.md') && name !== 'README.md');
    const pages = [...names.map((name) => name.replace('.md', '')), 'protocol'].map((name) => `${GUIDES_PATH}/${name}`);
    expect([...texts.keys()]).toEqual(expect.arrayContaining(pages));
    for (const [url, text] of texts) {
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect([url, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([url, []]);
      const broken = fragmentsIn(text).filter(([page, id]) => texts.get(page || url)?.includes(` id="${id}"`) !== true);
      expect([url, broken]).toEqual([url, []]);
    }
  });

  test('name the deadline of this installation', () => {
    const deadlineOf = (page: string) => loadGuides('docs', 400).pages.find(({ url }) => url.endsWith(page));
    for (const page of ['acknowledgements', 'first-webhook', 'moving'])
      expect(String(deadlineOf(page)?.html)).toMatch(/(?:within|is) (?:<[^>]+>)*400 ms/);
  });

  test('have a script that only copies code, and their code is served as text', async () => {
    const { type, policy, text } = await get(`${GUIDES_PATH}/signatures`);
    expect([type, policy]).toEqual(['text/html; charset=utf-8', expect.stringContaining("default-src 'none'")]);
    expect(text.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('/copy-buttons.js')]);
    expect(text).toContain('aria-label="On this page"');
    expect(text).toContain('aria-current="page">Verifying signatures</a>');
    for (const name of readdirSync(`${GUIDES}/receivers`)) {
      const code = await get(`${GUIDES_PATH}/receivers/${name}`);
      expect([code.type, code.text]).toEqual([
        'text/plain; charset=utf-8',
        readFileSync(`${GUIDES}/receivers/${name}`, 'utf8'),
      ]);
    }
  });

  test.each([
    '/docs/guides/nothing',
    '/docs/guides/receivers/..%2f..%2frunbook.md',
    '/docs/guides/runbook',
    // Of the examples, which the guides link to.
    '/docs/guides/README',
    '/admin/runbook',
  ])('%s is not on the public port', async (url) => {
    expect((await get(url)).status).toBe(404);
  });

  test('the runbook is for operators', async () => {
    const open = (headers: Record<string, string>) => fetch(`${api.opsUrl}${RUNBOOK_PATH}`, { headers });
    expect((await open({})).status).toBe(401);
    const reply = await open({ authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` });
    const text = await reply.text();
    expect(reply.status).toBe(200);
    expect(text).toContain('<h3 id="mailhookservicedown">MailhookServiceDown</h3>');
    expect(text).toContain('href="/admin"');
    expect(text).not.toContain(`href="${GUIDES_PATH}`);
  });
});

const linksIn = (html: string): string[] => [...html.matchAll(/ href="(\/[^"#]*)/g)].map(([, href]) => href ?? '');

/** The links to headings: page (empty: the same) and id. */
const fragmentsIn = (html: string): [string, string][] =>
  [...html.matchAll(/ href="(\/docs[^"#]*)?#([^"]+)"/g)].map(([, page = '', id = '']) => [page, id]);
