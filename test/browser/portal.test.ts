import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Browser, Frame, Page } from 'playwright-core';
import { startReceiver } from '@mailhook/testing';
import { launchChromium, newWindow } from './rig/chromium.ts';
import { accessibilityFaults, collectComplaints, faultsInEveryLook } from './rig/page.ts';
import { startServices } from './rig/services.ts';
import type { Services, TestCustomer } from './rig/services.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="28"><rect width="120" height="28" fill="#c60"/></svg>';

/**
 * The platform's site: a page with a frame of its route `/portal`, which redirects to a new link. For browsers,
 * localhost is another site than 127.0.0.1.
 */
async function startPlatform(linkFor: () => Promise<string>, pageUrl: () => string) {
  const server: Server = createServer((request, response) => {
    if (request.url === '/logo.svg') response.setHeader('content-type', 'image/svg+xml').end(LOGO);
    else if (request.url === '/portal') void linkFor().then((url) => response.writeHead(302, { location: url }).end());
    else if (request.url === '/mail') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><title>Mail</title><a href="${pageUrl()}/secrets">Open the webhook settings</a>`);
    } else {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<!doctype html><title>Platform</title><h1>Platform</h1><iframe src="/portal" title="Webhooks" ' +
          'width="1100" height="800"></iframe>',
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, port, close: () => server.close() };
}

describe('portal', () => {
  let browser: Browser;
  let services: Services;
  let customer: TestCustomer;
  let platform: Awaited<ReturnType<typeof startPlatform>>;
  let page: Page;
  let complaints: readonly string[];
  /** `?` for browsers without scripts, as the portal guide has it. */
  let mark = '#';

  const createLink = async (): Promise<string> =>
    (
      (await services.admin('POST', `/accounts/${customer.account}/portal`, { returnUrl: `${platform.origin}/` })) as {
        url: string;
      }
    ).url.replace('?', mark);
  /** A person presses the button of the link's page, which names the account. */
  const press = async (where: Pick<Frame, 'getByText' | 'getByRole'>): Promise<void> => {
    await where.getByText('This link opens the webhook settings of Acme <Newsletter>.').waitFor();
    await where.getByRole('button', { name: 'Open webhook settings' }).click();
  };
  const framed = async (): Promise<Frame> => {
    const element = await page.waitForSelector('iframe');
    const frame = await element.contentFrame();
    if (frame === null) throw new Error('The frame has no document.');
    return frame;
  };

  beforeAll(async () => {
    platform = await startPlatform(createLink, () => services.pageUrl);
    [browser, services] = await Promise.all([
      // Chromium then keeps only partitioned cookies of other sites, as browsers that block third-party cookies do.
      launchChromium(['--test-third-party-cookie-phaseout']),
      startServices({
        PORTAL_FRAME_ANCESTORS: platform.origin,
        BRAND_NAME: 'Acme Mail',
        BRAND_COLOR: '#ffcc00',
        BRAND_LOGO_URL: `${platform.origin}/logo.svg`,
      }),
    ]);
    customer = await services.newCustomer('Acme <Newsletter>');
  }, 60_000);
  afterAll(async () => {
    platform.close();
    await browser.close();
    await services.close();
  });
  beforeEach(async () => {
    page = await (await newWindow(browser)).newPage();
    page.setDefaultTimeout(20_000);
    complaints = collectComplaints(page);
  });
  afterEach(async () => {
    mark = '#';
    await page.context().close();
  });

  test('works in a frame of another site, forms and updates included', async () => {
    const receiver = await startReceiver();
    await page.goto(platform.origin);
    const frame = await framed();
    await press(frame);
    await frame.getByLabel('Webhook URL').fill(`${receiver.url}/campaign`);
    await frame.getByRole('button', { name: 'Save' }).first().click();
    await frame.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    await frame.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await frame.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await frame.locator('#live-state', { hasText: 'Live' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ name, sameSite, secure }) => [name, sameSite, secure])).toEqual([
      ['__Host-mailhook_session', 'None', true],
      ['mailhook_time_zone', 'None', true],
    ]);
    const help = frame.getByRole('link', { name: 'Guides', exact: true });
    const [opened] = await Promise.all([page.context().waitForEvent('page'), help.click()]);
    await opened.getByRole('heading', { level: 1 }).waitFor();
    await frame.getByRole('link', { name: 'Back to Acme Mail' }).click();
    await page.waitForURL(`${platform.origin}/`);
    expect(complaints).toEqual([]);
    await receiver.close();
  });

  test('the session in a frame is not valid outside, and the sign-out ends it', async () => {
    await page.goto(platform.origin);
    const frame = await framed();
    await press(frame);
    await frame.getByRole('heading', { name: 'Webhooks' }).waitFor();
    const outside = await page.context().newPage();
    await outside.goto(services.pageUrl);
    await outside.getByLabel('Access token').waitFor();
    await frame.getByRole('button', { name: 'Sign out', exact: true }).click();
    await frame.getByText('You are signed out.').waitFor();
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['mailhook_time_zone']);
    expect(await accessibilityFaults(frame)).toEqual([]);
  });

  test('revoking ends the open page', async () => {
    await page.goto(platform.origin);
    const frame = await framed();
    await press(frame);
    await frame.locator('#live-state', { hasText: 'Live' }).waitFor();
    await services.admin('DELETE', `/accounts/${customer.account}/portal`);
    await frame.getByText('open these settings again from where you came').waitFor();
  });

  test.each(['?', '#'])('a scanner that runs scripts uses no link up: %s', async (sign) => {
    mark = sign;
    const link = await createLink();
    const scanner = await newWindow(browser);
    const scanned = await scanner.newPage();
    await scanned.goto(link, { waitUntil: 'networkidle' });
    await scanned.getByRole('button', { name: 'Open webhook settings' }).waitFor();
    expect((await scanner.cookies()).filter(({ name }) => name.includes('session'))).toEqual([]);
    await scanner.close();
    await page.goto(link);
    await press(page);
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('a frame that the platform shows again needs no other press', async () => {
    mark = '?';
    await page.goto(platform.origin);
    await press(await framed());
    await (await framed()).getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.reload();
    await (await framed()).getByRole('heading', { name: 'Webhooks' }).waitFor();
  });

  test('a plain link on another site leads to its page, after the sign-in if there is no session', async () => {
    await page.goto(`${platform.origin}/mail`);
    await page.getByRole('link').click();
    await page.getByLabel('Access token').fill(customer.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Signing secrets' }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/webhooks/secrets');
    await page.goto(`${platform.origin}/mail`);
    await page.getByRole('link').click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByText('whsec_').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('another origin cannot show it in a frame', async () => {
    // The same server by another name.
    await page.goto(`http://127.0.0.1:${platform.port}/`);
    const frame = await framed();
    await frame.waitForURL(/chrome-error/);
    expect(complaints.join()).toContain('frame-ancestors');
    expect(await page.context().cookies()).toEqual([]);
  });

  test('works without script, in a window too', async () => {
    mark = '?';
    const window = await newWindow(browser, { javaScriptEnabled: false });
    const plain = await window.newPage();
    plain.setDefaultTimeout(20_000);
    await plain.goto(await createLink());
    await plain.getByRole('button', { name: 'Open webhook settings' }).click();
    await plain.getByText('Acme <Newsletter>').waitFor();
    expect((await window.cookies()).map(({ sameSite }) => sameSite)).toEqual(['Strict']);
    await plain.goto(`${platform.origin}/`);
    const element = await plain.waitForSelector('iframe');
    const frame = await element.contentFrame();
    await frame?.getByRole('button', { name: 'Open webhook settings' }).click();
    await frame?.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await frame?.getByRole('link', { name: 'Signing secrets' }).click();
    await frame?.getByRole('button', { name: 'Create secret' }).click();
    await frame?.getByText('whsec_').first().waitFor();
    await window.close();
  });

  test('axe finds nothing, in light, dark and on a phone, and the page stays small', async () => {
    const bare = await newWindow(browser, { javaScriptEnabled: false });
    const entry = await bare.newPage();
    await entry.goto((await createLink()).replace('#', '?'));
    await entry.getByRole('button', { name: 'Open webhook settings' }).waitFor();
    await bare.close();
    const link = await createLink();
    await page.goto(link);
    await page.getByText('Acme <Newsletter>').waitFor();
    expect(await faultsInEveryLook(page)).toEqual([]);
    await press(page);
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    const { bytes } = await page.evaluate<{ bytes: number }>(
      '({ bytes: performance.getEntries().reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0) })',
    );
    expect(bytes).toBeLessThan(200_000);
    expect(await faultsInEveryLook(page)).toEqual([]);
    const used = await newWindow(browser);
    const late = await used.newPage();
    await late.goto(link);
    await late.getByText('This link no longer works.').waitFor();
    expect(await faultsInEveryLook(late)).toEqual([]);
    await late.goto(services.pageUrl);
    expect(await faultsInEveryLook(late)).toEqual([]);
    await used.close();
  }, 60_000);
});
