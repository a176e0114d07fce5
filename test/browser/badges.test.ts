import { destinationHealth, LANGUAGES, subscriptionType } from '@mailhook/core';
import { CATALOGS } from '../../packages/console/src/messages/texts.ts';
import { useScene } from './rig/suite.ts';

const WIDTHS_PX = [360, 390, 480, 640, 768, 832, 960, 1024, 1100, 1180, 1200, 1280, 1440];

/** Gives the badges of the list these texts in turn, and names those that are not wholly inside of their card. */
const outside = (texts: readonly string[]): string => `(() => {
  const texts = ${JSON.stringify(texts)};
  const found = [];
  const badges = [...document.querySelectorAll('main .badge')];
  for (let i = 0; i < texts.length; i += 1) {
    badges.forEach((badge, j) => (badge.textContent = texts[(i + j) % texts.length]));
    for (const badge of badges) {
      const own = badge.getBoundingClientRect();
      const card = (badge.closest('.card') ?? document.querySelector('main')).getBoundingClientRect();
      const isOutside = own.left < card.left + 4 || own.right > card.right - 4;
      if (own.width > 0 && (isOutside || badge.scrollWidth > badge.clientWidth + 1))
        found.push(badge.textContent + ': ' + own.left + ' to ' + own.right + ' in ' + card.left + ' to ' + card.right);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push(document.documentElement.scrollWidth + ' px');
  return found;
})()`;

describe('states of endpoints', () => {
  const scene = useScene();

  test.each(LANGUAGES)(
    'are inside of their cards at every width: %s',
    async (language) => {
      const { api, go, page, receiver } = scene();
      const address = `${receiver.url}/hooks/a-rather-long-path-of-a-receiver/with-several-parts/of-an-address`;
      await api('PUT', '/v3/webhook/campaign', { address, active: true });
      for (const type of subscriptionType.options) {
        await api('POST', '/v3/webhook/subscriptions', { address, type, module: 'transactional_email' });
      }
      await page.getByLabel('Language').selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      const { states } = CATALOGS[language];
      for (const path of ['', '/endpoints']) {
        await go(path);
        for (const width of WIDTHS_PX) {
          await page.setViewportSize({ width, height: 900 });
          const texts = destinationHealth.options.map((state) => states[state]);
          expect([path, width, await page.evaluate(outside(texts))]).toEqual([path, width, []]);
        }
        expect(await page.locator('main .card .badge').count()).toBeGreaterThan(3);
      }
    },
    60_000,
  );
});
