import type { Browser, Page } from 'playwright-core';
import type { BadDay } from './rig/bad-day.ts';
import { startBadDay } from './rig/bad-day.ts';
import { launchChromium } from './rig/chromium.ts';
import { faultsOfLooks } from './rig/look.ts';
import { openSignedIn } from './rig/page.ts';
import { customerStates, openState } from './rig/page-states.ts';

const LOOKED_AT = 10;

describe('the most important pages on a bad day', () => {
  let browser: Browser;
  let day: BadDay;
  let page: Page;
  beforeAll(async () => {
    [browser, day] = await Promise.all([launchChromium(), startBadDay()]);
    ({ page } = await openSignedIn(browser, day.services, day.customer, { reducedMotion: 'reduce' }));
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await day.close();
  });

  /** German has the longest words. `npx mailhook screenshots` looks at all pages, in all languages. */
  test('have nothing cut, hidden or outside of its card at any width, in light and dark', async () => {
    await page.locator('#language').selectOption('de');
    await page.locator('html[lang=de]').waitFor();
    const states = customerStates(day).slice(0, LOOKED_AT);
    const found: (readonly [string, readonly string[]])[] = [];
    for (const state of states) {
      await openState(page, day.services.pageUrl, state);
      found.push([state.name, await faultsOfLooks(page)]);
    }
    expect(found).toEqual(states.map(({ name }) => [name, []]));
  }, 120_000);

  test('the overview has at most 24 stops of the Tab key before its endpoints', async () => {
    await openState(page, day.services.pageUrl, { name: 'overview', at: '' });
    const stops = await page.evaluate<readonly string[]>(`(() => {
      const title = document.getElementById('endpoints-title');
      return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]
        .filter((one) => one.tabIndex >= 0 && !one.disabled && one.type !== 'hidden' && one.checkVisibility())
        .filter((one) => one.compareDocumentPosition(title) & Node.DOCUMENT_POSITION_FOLLOWING)
        .map((one) => one.textContent.trim().slice(0, 40) || one.id);
    })()`);
    expect(stops.length <= 24 ? [] : stops).toEqual([]);
  });

  test('are looked at: a fault of each kind is found', async () => {
    await openState(page, day.services.pageUrl, { name: 'endpoints', at: '/endpoints' });
    const styles =
      '.of-endpoints .badge { position: relative; left: 20rem; color: var(--surface); } .lead { width: 200vw; } ' +
      'h1 { max-width: 2rem; overflow: hidden; white-space: nowrap; } #navigation a { gap: 0; }';
    await page.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(styles)});
      document.adoptedStyleSheets = [sheet];
    })()`);
    const found = (await faultsOfLooks(page)).join('\n');
    const rules = [
      'the page scrolls sideways',
      'outside of its card',
      'text is cut',
      'hidden',
      'hard to read',
      'touches what is before it',
    ];
    expect(rules.filter((rule) => !found.includes(`${rule}: `))).toEqual([]);
  }, 60_000);
});
