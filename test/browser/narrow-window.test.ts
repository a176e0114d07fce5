import { openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('a narrow window', () => {
  const scene = useScene();

  test.each(['', '/deliveries', '/dead-letters', '/secrets', '/endpoints/campaign?tab=settings'])(
    'shows the current page or tab %s in the navigation',
    async (path) => {
      const { browser, customer, services } = scene();
      const viewport = { width: 320, height: 844 };
      const { page, close } = await openSignedIn(browser, services, customer, { viewport, colorScheme: 'dark' });
      await page.goto(services.pageUrl + path);
      const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('nav [aria-current=page]')]
        .filter((link) => {
          const [own, nav] = [link, link.closest('nav')].map((one) => one.getBoundingClientRect());
          return own.left < nav.left || own.right > nav.right;
        })
        .map((link) => link.textContent)`);
      expect(outside).toEqual([]);
      await close();
    },
  );

  test('has the choice of a period inside, as windows of other widths have', async () => {
    const { go, page } = scene();
    for (const width of [360, 768, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await go('/deliveries');
      await page.locator('#period summary').click();
      const box = await page.locator('#period > .card').boundingBox();
      expect([width, (box?.x ?? width) + (box?.width ?? 0) <= width]).toEqual([width, true]);
    }
  });

  test('cuts an address in the middle, and shows its end', async () => {
    const { api, go, page } = scene();
    const address = 'https://events.customer-of-acme.example.com/mail/hooks/bounces';
    const { id } = (await api('POST', '/v3/webhook/subscriptions', {
      address,
      type: 'bounce',
      module: 'transactional_email',
    })) as { id: string };
    await page.setViewportSize({ width: 390, height: 844 });
    await go('/endpoints');
    const parts = `[...document.querySelectorAll('#endpoint-${id} .address > *')]`;
    await page.locator(`#endpoint-${id} .address`).waitFor();
    expect(await page.evaluate(`${parts}.map((one) => one.scrollWidth > one.clientWidth)`)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
