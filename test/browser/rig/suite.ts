import type { FakeReceiver } from '@mailhook/testing';
import { startReceiver } from '@mailhook/testing';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import type { CustomerPage } from './page.ts';
import { openSignedIn } from './page.ts';
import type { Services, TestCustomer } from './services.ts';
import { startServices } from './services.ts';

/** The things that each test of the page gets: among others a signed-in new customer and a receiver. */
export interface Scene {
  readonly browser: Browser;
  readonly services: Services;
  readonly receiver: FakeReceiver;
  readonly customer: TestCustomer;
  readonly page: Page;
  readonly api: ReturnType<Services['as']>;
  /** Adds an endpoint of this type, by default at the receiver. Resolves with its id. */
  readonly subscribe: (type: string, address?: string) => Promise<string>;
  /** Opens a page of the settings by the end of its path, such as `/deliveries`. */
  readonly go: (path: string) => Promise<unknown>;
  readonly press: (name: string) => Promise<void>;
  /** Resolves when the page shows this text. */
  readonly see: (text: string | RegExp) => Promise<void>;
  /** Resolves when an element with `role="status"` shows this text. */
  readonly status: (text: string | RegExp) => Promise<void>;
  /** Resolves with the id of the focused element. */
  readonly focused: () => Promise<string | null>;
}

/**
 * Sets up the scene of each test in a file and returns a function that gives the current one. Fails a test if the
 * browser reported errors.
 */
export function useScene(environment: Readonly<Record<string, string>> = {}): () => Scene {
  let browser: Browser;
  let services: Services;
  let receiver: FakeReceiver;
  let opened: CustomerPage;
  let scene: Scene;
  beforeAll(async () => {
    [browser, services] = await Promise.all([launchChromium(), startServices(environment)]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await services.close();
  });
  beforeEach(async () => {
    const customer = await services.newCustomer('Acme <Newsletter>');
    [receiver, opened] = await Promise.all([startReceiver(), openSignedIn(browser, services, customer)]);
    const { page } = opened;
    const api = services.as(customer.token);
    scene = {
      browser,
      services,
      receiver,
      customer,
      page,
      api,
      subscribe: async (type, address = receiver.url) => {
        const input = { address, type, module: 'transactional_email' };
        return ((await api('POST', '/v3/webhook/subscriptions', input)) as { id: string }).id;
      },
      go: (path) => page.goto(`${services.pageUrl}${path}`),
      press: (name) => page.getByRole('button', { name }).first().click(),
      see: (text) => page.getByText(text).first().waitFor(),
      status: (text) => page.getByRole('status').filter({ hasText: text }).waitFor(),
      focused: () => page.locator(':focus').getAttribute('id'),
    };
  });
  afterEach(async () => {
    await opened.close();
    await receiver.close();
    expect(opened.complaints).toEqual([]);
  });
  return () => scene;
}
