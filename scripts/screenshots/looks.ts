import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from '@mailhook/core';
import type { Browser, Page } from 'playwright-core';
import { startBadDay } from '../../test/browser/rig/bad-day.ts';
import type { BadDay } from '../../test/browser/rig/bad-day.ts';
import { newWindow } from '../../test/browser/rig/chromium.ts';
import { addCrowd } from '../../test/browser/rig/crowd.ts';
import { faultsOfLooks } from '../../test/browser/rig/look.ts';
import { openSignedIn } from '../../test/browser/rig/page.ts';
import { startServices } from '../../test/browser/rig/services.ts';
import {
  customerStates,
  FIRST_RUN_STATES,
  openState,
  OPERATOR_STATES,
  visitorStates,
} from '../../test/browser/rig/page-states.ts';
import type { TestCustomer } from '../../test/browser/rig/services.ts';
import type { PageState } from '../../test/browser/rig/page-states.ts';

/** The runbook is longer. */
const HEIGHT_MAX_PX = 4000;
const PICTURE_WIDTHS_PX = [390, 1024, 1440];

interface Looks {
  /** Gets the name of a page and its faults. */
  readonly onPage: (name: string, faults: readonly string[]) => void;
  /** Also takes pictures of every page, into this folder. */
  readonly folder?: string | undefined;
  /** Only pages whose name holds this text. */
  readonly only?: string | undefined;
}

/** Looks at every page of customers and operators on a bad day, in all languages and at all widths. */
export async function lookAtEveryPage(browser: Browser, looks: Looks): Promise<void> {
  await lookWithoutMail(browser, looks);
  const day = await startBadDay();
  try {
    await lookAsVisitor(browser, day, looks);
    const states = customerStates(day);
    await lookAsCustomer(browser, day, { customer: day.customer, states }, looks);
    const customer = await day.services.newCustomer('Neu GmbH');
    await lookAsCustomer(browser, day, { customer, states: FIRST_RUN_STATES }, looks);
    const leave = await addCrowd(day);
    await lookAsOperator(browser, day, looks);
    await leave();
  } finally {
    await day.close();
  }
}

/** Without `SMTP_URL`, alerts are webhooks only. */
async function lookWithoutMail(browser: Browser, looks: Looks): Promise<void> {
  const services = await startServices();
  const states = [{ name: 'alerts-without-mail', at: '/alerts' }];
  await lookAsCustomer(browser, { services }, { customer: await services.newCustomer('Acme'), states }, looks);
  await services.close();
}

interface Looked {
  readonly customer: TestCustomer;
  readonly states: readonly PageState[];
}

async function lookAsCustomer(
  browser: Browser,
  { services }: Pick<BadDay, 'services'>,
  { customer, states }: Looked,
  looks: Looks,
): Promise<void> {
  const { page, close } = await openSignedIn(browser, services, customer, { reducedMotion: 'reduce' });
  for (const language of LANGUAGES) {
    // A guide has no choice of the language.
    await page.goto(services.pageUrl);
    await page.locator('#language').selectOption(language);
    await page.locator(`html[lang=${language}]`).waitFor();
    for (const state of states) await lookAt(page, services.pageUrl, state, language, looks);
  }
  await close();
}

async function lookAsVisitor(browser: Browser, { services, customer }: BadDay, looks: Looks): Promise<void> {
  for (const locale of LANGUAGES) {
    const window = await newWindow(browser, { locale, reducedMotion: 'reduce' });
    const page = await window.newPage();
    const { url } = (await services.admin('POST', `/accounts/${customer.account}/portal`, {})) as { url: string };
    const { search } = new URL(url);
    for (const state of visitorStates(search)) await lookAt(page, services.pageUrl, state, locale, looks);
    await window.close();
  }
}

async function lookAsOperator(browser: Browser, { services }: BadDay, looks: Looks): Promise<void> {
  const httpCredentials = { username: 'admin', password: services.adminToken };
  const window = await newWindow(browser, { httpCredentials, reducedMotion: 'reduce' });
  const page = await window.newPage();
  for (const state of OPERATOR_STATES) await lookAt(page, services.opsUrl, state, 'operator', looks);
  await window.close();
}

async function lookAt(page: Page, base: string, state: PageState, as: string, looks: Looks): Promise<void> {
  const { onPage, folder, only = '' } = looks;
  const name = `${as}-${state.name}`;
  if (!name.includes(only)) return;
  await openState(page, base, state);
  onPage(name, await faultsOfLooks(page));
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const width of PICTURE_WIDTHS_PX) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const file = path.join(folder, `${name}-${width}${colorScheme === 'dark' ? '-dark' : ''}.png`);
      const height = Math.min(await page.evaluate<number>('document.documentElement.scrollHeight'), HEIGHT_MAX_PX);
      const clip = { x: 0, y: 0, width, height };
      await page.screenshot({ path: file, animations: 'disabled', fullPage: true, clip });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
