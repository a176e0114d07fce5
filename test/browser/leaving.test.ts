import { eventually } from '@mailhook/testing';
import type { Dialog, Page } from 'playwright-core';
import { useScene } from './rig/suite.ts';

/** Answers every question of the browser, and keeps its kind. */
function answering(page: Page, isAccepting: () => boolean): string[] {
  const asked: string[] = [];
  page.on('dialog', (dialog: Dialog) => {
    asked.push(dialog.type());
    void (isAccepting() ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}

describe('leaving a page with unsaved changes', () => {
  const scene = useScene();

  test('asks at a link, a reload and a sign-out, and not once they are discarded or saved', async () => {
    const { api, go, page, receiver, status, press } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign?tab=settings');
    let isAccepting = false;
    const asked = answering(page, () => isAccepting);
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    const field = page.getByLabel('Webhook URL');
    const link = page.getByRole('link', { name: 'Deliveries' }).first();

    await field.fill(`${receiver.url}/typed`);
    await bar.waitFor();
    const questions = [
      () => link.click({ noWaitAfter: true }),
      () => page.evaluate('location.reload()'),
      () => page.getByRole('button', { name: 'Sign out' }).click({ noWaitAfter: true }),
    ];
    for (const [i, leave] of questions.entries()) {
      const dialog = page.waitForEvent('dialog');
      await leave();
      await dialog;
      expect(asked).toHaveLength(i + 1);
    }
    expect(new Set(asked)).toEqual(new Set(['beforeunload']));
    expect(await field.inputValue()).toBe(`${receiver.url}/typed`);

    await bar.getByRole('button', { name: 'Discard changes' }).click();
    await bar.waitFor({ state: 'hidden' });
    await page.reload();
    await field.fill(`${receiver.url}/saved`);
    await press('Save changes');
    await status('Saved.');
    await link.click();
    await page.waitForURL(/\/deliveries/);
    expect(asked).toHaveLength(questions.length);

    await go('/new-endpoint');
    await page.getByLabel('Webhook URL').fill('https://example.com/');
    // Its form has a button of its own in place of the bar.
    await page.locator('#unsaved:not([hidden])').waitFor({ state: 'attached' });
    isAccepting = true;
    await link.click();
    await page.waitForURL(/\/deliveries/);
    expect(asked).toHaveLength(questions.length + 1);
  });

  test('asks before the answer to another form replaces the page, and at Back', async () => {
    const { go, page } = scene();
    const id = await scene().subscribe('click');
    await go(`/endpoints/${id}?tab=settings`);
    const asked = answering(page, () => false);
    const limit = page.getByLabel('Most requests per second');
    await limit.fill('7');
    await page.locator(`#ask-delete-${id}`).click();
    const question = page.waitForEvent('dialog');
    await page.locator('#confirm-delete').click();
    expect((await question).message()).toBe('You have unsaved changes. Leave this page without them?');
    await page.getByText('Deleted.').waitFor();
    expect(await limit.inputValue()).toBe('7');
    expect(page.url()).toContain(`/endpoints/${id}`);

    expect(asked).toEqual(['confirm']);
  });

  test('asks at Back from a place on the page', async () => {
    const { go, page, receiver } = scene();
    const id = await scene().subscribe('click');
    await go(`/endpoints/${id}?tab=settings`);
    await page.evaluate("location.hash = 'danger'");
    const field = page.getByLabel('Webhook URL');
    await field.fill('https://example.com/typed');
    let isAccepting = false;
    const asked = answering(page, () => isAccepting);
    for (const isAccepted of [false, true]) {
      isAccepting = isAccepted;
      const question = page.waitForEvent('dialog');
      await page.evaluate('history.back()');
      await question;
      if (!isAccepted) expect(await field.inputValue()).toBe('https://example.com/typed');
    }
    await eventually(async () => (await field.inputValue()) === receiver.url, { what: 'the saved address' });
    expect(asked).toEqual(['confirm', 'confirm']);
  });

  test('follows Back to the page of a deleted endpoint', async () => {
    const { go, page } = scene();
    const id = await scene().subscribe('click');
    await go(`/endpoints/${id}?tab=settings`);
    await page.locator(`#ask-delete-${id}`).click();
    await page.locator('#confirm-delete').click();
    await page.waitForURL(/\/endpoints$/);
    await page.evaluate('history.back()');
    await page.getByText('This endpoint does not exist.').first().waitFor();
  });
});
