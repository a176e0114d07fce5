import { Redis } from 'ioredis';
import {
  ageSessions,
  browserOf,
  PAGE,
  settingsPageRig,
  textOf,
} from '../../../../services/api/src/settings-page-rig.suite.ts';

const DEVELOPERS = `${PAGE}/developers`;
const CREATE = { do: 'create-token', label: ' ci ', access: 'read', days: '30' };

describe('settings page: access tokens', () => {
  const rig = settingsPageRig();
  const tokenIn = (html: string): string => /<code id="new-token-text">([^<]*)</.exec(html)?.[1] ?? '';
  const list = async () => (await rig.api.as(rig.mine.token)('get', '/v3/webhook/tokens')).body as { id: string }[];

  it('are created with a label, an end and a kind of access, and shown once', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const unnamed = await browser.send({ ...CREATE, label: ' ' });
    expect([unnamed.status, textOf(unnamed.text)]).toEqual([422, expect.stringContaining('Label is required')]);
    const made = await browser.send(CREATE);
    expect(made.status).toBe(200);
    expect(textOf(made.text)).toContain('Copy the token now.');
    const token = tokenIn(made.text);
    expect((await rig.api.as(token)('get', '/v3/webhook/campaign')).status).toBe(200);
    expect((await rig.api.as(token)('post', '/v3/webhook/secrets')).status).toBe(403);
    const [, created] = await list();
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    expect(created).toMatchObject({ label: 'ci', access: 'read' });
    const { expiresAt } = created as unknown as { expiresAt: string };
    expect(expiresAt > inDays(29.9) && expiresAt < inDays(30.1)).toBe(true);
    const page = (await browser.get(DEVELOPERS)).text;
    expect(page).not.toContain(token);
    expect(textOf(page)).toMatch(/Without a label Changes everything You signed in with it/);
    expect(textOf(page)).toMatch(/ci Reads only Created [^,]*, last used [^,]*, ends /);
  });

  it('are revoked, also the one of the sign-in, which signs out', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const token = tokenIn((await browser.send({ ...CREATE, access: 'manage' })).text);
    const other = await browserOf(rig.api, token);
    const ids = (await list()).map(({ id }) => id);
    expect(textOf((await other.send({ do: 'revoke-token', id: ids[0] ?? '' })).text)).toContain('Revoked.');
    expect((await rig.api.as(rig.mine.token)('get', '/v3/webhook/campaign')).status).toBe(401);
    expect(textOf((await browser.get(DEVELOPERS)).text)).toContain('Your session has ended.');
    expect((await other.get(DEVELOPERS)).text).toContain(`confirm-revoke-${ids[1]}`);
  });

  it('need a recent sign-in to be created', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const redis = new Redis(rig.api.redisUrl);
    await ageSessions(redis, rig.api.prefix, 16 * 60_000);
    await redis.quit();
    const asked = await browser.send(CREATE);
    expect(asked.status).toBe(403);
    expect(textOf(asked.text)).toContain('Confirm that it is you');
    expect(await list()).toHaveLength(1);
    expect((await browser.send({ ...CREATE, accessToken: rig.mine.token })).status).toBe(200);
    expect(await list()).toHaveLength(2);
  });

  it('are listed for a session of a portal link, which creates none', async () => {
    const link = (await rig.api.admin('post', `/admin/accounts/${rig.mine.id}/portal`, {})).body as { url: string };
    const code = new URL(link.url).searchParams.get('link') ?? '';
    const opened = await browserByLink(code);
    const page = textOf((await opened.get(DEVELOPERS)).text);
    expect(page).toContain('a token would outlive it');
    expect(page).not.toContain('Create token');
    const refused = await opened.send(CREATE);
    expect([refused.status, (await list()).length]).toEqual([403, 1]);
  });

  async function browserByLink(link: string) {
    const browser = await browserOf(rig.api, '');
    const opened = await rig.api.as(undefined)('post', '/settings/portal').type('form').send({ link });
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    return {
      get: (path: string) => browser.get(path).set('cookie', cookie),
      send: (form: Record<string, string>) => browser.send(form, { cookie }),
    };
  }
});
