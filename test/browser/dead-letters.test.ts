import type { DeadLetterGroups, DeadLetterSummary } from '@mailhook/core';
import { aClick, anOpen, eventually } from '@mailhook/testing';
import { openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('the page of dead letters', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });
  const groups = async () => (await scene().api('GET', '/v3/webhook/dead-letters/groups')) as DeadLetterGroups;

  /** Three clicks and two opens fail with different errors. Resolves with the ids of the subscriptions. */
  async function makeDeadLetters() {
    const { customer, receiver, services, subscribe } = scene();
    const { account } = customer;
    const click = await subscribe('click', `${receiver.url}/click`);
    const open = await subscribe('open', `${receiver.url}/open`);
    receiver.setReply(({ path }) => ({ status: path.endsWith('click') ? 500 : 404 }));
    await services.send([
      ...[1, 2, 3].map((i) => aClick({ account, messageId: `click-${i}` })),
      ...[1, 2].map((i) => anOpen({ account, messageId: `open-${i}` })),
    ]);
    const isDead = async () => (await groups()).items.reduce((sum, { events }) => sum + events, 0) === 5;
    await eventually(isDead, { what: 'the dead letters', withinMs: 15_000 });
    return { click, open };
  }

  test('groups them by cause and endpoint, asks with the number of events, and delivers them', async () => {
    const { go, page, receiver, see } = scene();
    const { click } = await makeDeadLetters();
    await go('/dead-letters');
    await page.locator('#groups-note').getByText('5 dead letters with 5 events').waitFor();
    const row = page.locator('#groups tr', { hasText: 'HTTP 500' });
    await row.getByText('3', { exact: true }).waitFor();
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await row.getByRole('link', { name: 'Endpoint for click', exact: true }).waitFor();
      await row.getByText('7 days left').waitFor();
    }
    expect(await page.locator('#groups tr').count()).toBe(2);

    // The buttons appear with a selection, and the single dead letters are folded.
    expect(await page.locator('#redrive-groups').isVisible()).toBe(false);
    expect(await page.locator('#dead-letter-list').getByRole('button').first().isVisible()).toBe(false);
    await row.getByRole('checkbox').check();
    await page.locator('#redrive-groups').click();
    const dialog = page.locator('dialog:modal');
    await dialog.getByText(`3 events in 3 dead letters will be sent again to ${receiver.url}/click.`).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await row.getByRole('checkbox').isChecked()).toBe(true);
    expect((await groups()).items).toHaveLength(2);

    receiver.setReply(() => ({}));
    await page.locator('#redrive-groups').click();
    await page.locator('#confirm-redrive').click();
    await see('3 dead letters are on the way again.');
    await page.locator('#redriven').getByText('3 of 3 events delivered, 0 failed again, 0 on the way.').waitFor();
    await eventually(async () => (await page.locator('#groups tr').count()) === 1, { what: 'the other group' });
    await page.reload();
    await page.locator('#redriven').getByText('3 of 3 events delivered').waitFor();

    await page.locator('#groups .whole').click();
    await page.locator('#dead-letter-list').getByText('open-2').waitFor();
    await page.locator('#dead-letter-list').getByText('HTTP 404').first().waitFor();
    await page.locator('#dead-letter-list').getByRole('link', { name: 'Events and attempts' }).first().click();
    await page.locator('#dead-letter').getByRole('button', { name: 'Deliver again' }).click();
    await dialog.getByText('1 event in 1 dead letter will be sent again').waitFor();
    expect(await page.locator('#redrive-all-ask').count()).toBe(0);
    await page.locator('#confirm-redrive').click();
    await see('One dead letter is on the way again.');
    await page.locator('#dead-letter .close').click();
    expect(new URL(page.url()).searchParams.get('destination')).not.toBe(click);
    await page.getByLabel('Endpoint', { exact: true }).selectOption(click);
    await page.locator('#dead-letter-list').getByText('Nothing matches').waitFor();
  });

  test('asks only about what can be sent, and discards a group only after the question', async () => {
    const { go, page, receiver, see, api } = scene();
    const { open } = await makeDeadLetters();
    const off = { address: `${receiver.url}/open`, type: 'open', module: 'transactional_email', active: false };
    await api('PUT', `/v3/webhook/subscriptions/${open}`, off);
    await go('/dead-letters');
    const [dialog, stay] = [page.locator('dialog'), '2 dead letters stay, because the endpoint is off'];
    await page.locator('#redrive-all-ask').click();
    await dialog.getByText('3 events in 3 dead letters will be sent again').waitFor();
    await dialog.getByText(stay).waitFor();
    expect(await dialog.getByText('will be sent again').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('#groups tr', { hasText: 'HTTP 404' }).getByRole('checkbox').check();
    await page.locator('#redrive-groups').click();
    await see(stay);
    expect(await page.locator('#confirm-redrive').count()).toBe(0);
    await go('/dead-letters');
    await page.locator('#groups tr', { hasText: 'HTTP 404' }).getByRole('checkbox').check();
    await page.locator('#discard-groups').click();
    await page.locator('dialog').getByText('2 events for').waitFor();
    await page.locator('dialog').getByText('This cannot be undone.').waitFor();
    expect(((await api('GET', '/v3/webhook/dead-letters')) as DeadLetterSummary).total).toBe(5);
    await page.locator('#confirm-discard').click();
    await see('2 events were deleted permanently.');
    expect((await groups()).items).toMatchObject([{ events: 3 }]);
  });

  test('does the same without a script', async () => {
    const { browser, customer, receiver, services } = scene();
    await makeDeadLetters();
    const plain = await openSignedIn(browser, services, customer, { javaScriptEnabled: false });
    const { page } = plain;
    await page.goto(`${services.pageUrl}/dead-letters`);
    await page.locator('#groups tr', { hasText: 'HTTP 500' }).getByRole('checkbox').check();
    await page.locator('#redrive-groups').click();
    await page.locator('#dialog').getByText('3 events in 3 dead letters will be sent again').waitFor();
    await page.locator('#dialog-cancel').click();
    await page.locator('#dialog').waitFor({ state: 'hidden' });
    await page.locator('#groups tr', { hasText: 'HTTP 500' }).getByRole('checkbox').check();
    await page.locator('#redrive-groups').click();
    receiver.setReply(() => ({}));
    await page.locator('#confirm-redrive').click();
    await page.getByText('3 dead letters are on the way again.').waitFor();
    await plain.close();
  });
});
