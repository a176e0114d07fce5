import { coded } from '@mailhook/core';
import type { DeliveryAttempt, DeliveryAttemptDetail } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import { pageOf, questionOf } from '../navigation.ts';
import { viewOf } from '../view.suite.ts';
import type { WithFound } from '../parts.ts';
import { attemptDetail } from './attempt-detail.ts';
import { deliveriesList, keptText } from './content.ts';

const kept = {
  delivered: 2,
  attempts: 3,
  megabytes: 5,
  days: 7,
  perSecond: 200,
  perSecondOfAll: 1000,
  waiting: 0,
  resends: 0,
  deadLetters: 0,
};
const attempt = (id: string, more: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  id,
  time: '2026-01-05T10:00:00.000Z',
  kind: 'transactional',
  destination: 'd0',
  address: 'https://hooks.example.com/a/path',
  types: ['click'],
  events: 1,
  attempt: 1,
  status: 'failed',
  durationMs: 34,
  httpStatus: 401,
  webhookId: 'msg_1',
  error: coded('status', { status: '401 Unauthorized' }),
  nextAttemptAt: '2026-01-05T11:00:00.000Z',
  ...more,
});

/** The page with these attempts, as text with a line for each row. */
function listOf(items: readonly DeliveryAttempt[], question = pageOf('deliveries'), found?: WithFound['found']) {
  const deliveries = { value: { items: [...items] } };
  const page = String(
    deliveriesList({
      ...viewOf([{ state: 'healthy' }]),
      question,
      deliveries,
      signing: undefined,
      kept,
      attempt: undefined,
      found,
    }),
  );
  const rows = page.split('<div role="row"').slice(2);
  return {
    page,
    rows: rows.map((row) =>
      row
        .replaceAll(/<.?bdi>/g, '')
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' '),
    ),
  };
}

test('the log of deliveries says which attempts it omits', () => {
  expect(String(html`${keptText({ kept })}`)).toBe(
    'Mailhook keeps the newest 2 delivered attempts and 3 others for 7 days, fewer if they are large. ' +
      'Of very many delivered at a time, it keeps a sample.',
  );
});

describe('the list of deliveries', () => {
  it('has the reason in one line, and neither advice nor the next attempt', () => {
    const { rows } = listOf([attempt('1'), attempt('2', { httpStatus: undefined, error: coded('no-reply') })]);
    expect(rows[0]).toContain('Endpoint for open click The receiver answered HTTP 401 Unauthorized. 1 1 401 · 34 ms');
    expect(rows[0]).not.toMatch(/login|Next attempt/);
    expect(rows[1]).toContain('The receiver did not answer in time. 1 1 No reply · 34 ms');
  });
  it('names the attempt that has delivered since in place of the reason', () => {
    const later = attempt('2', { attempt: 2, status: 'delivered', error: undefined, httpStatus: 200 });
    expect(listOf([later, attempt('1')]).rows[1]).toContain('Delivered by attempt 2');
  });
  it('does not repeat the address on the page of its endpoint', () => {
    const { rows, page } = listOf([attempt('1')], pageOf('endpoints', 'd0', 'deliveries'));
    expect(rows[0]).toContain('click The receiver answered');
    expect(page).not.toContain('hooks.example.com');
  });
  it('shows each filter with a link that removes it, and the number of results', () => {
    const question = questionOf('deliveries', '', { status: 'failed', reply: '503', try: 'later' });
    const { page } = listOf([attempt('1'), attempt('2')], question, { attempts: 1204, isAll: true });
    expect(page).toContain(
      '<a class="chip" href="/settings/webhooks/deliveries?status=failed&amp;try=later">Reply: 503',
    );
    expect(page).toContain('Attempt: Repeated attempts');
    expect(page).toContain('1,204 attempts</span>');
    expect(page).toContain('<option value="503" selected>503</option>');
    const many = listOf([attempt('1')], question, { attempts: 1000, isAll: false });
    expect(many.page).toContain('at least 1,000 attempts');
    expect(many.page).toContain('<option value="404" >404</option>');
    expect(listOf([attempt('1')]).page).not.toContain('class="chip"');
  });
});

describe('an opened attempt', () => {
  const panel = (more: Partial<DeliveryAttemptDetail>, isLogOn = true) => {
    const view = { ...viewOf([{ state: 'healthy' }]), question: pageOf('deliveries'), isLogOn };
    const names = new Map([['d0', 'The shop']]);
    return String(attemptDetail({ value: { ...attempt('1'), ...more } }, names, view, () => true));
  };
  it('has the advice, the next attempt, a link to its endpoint, and a button for its own dead letter', () => {
    const held: DeliveryAttemptDetail['held'] = { state: 'resend', payloads: [{}] };
    const waits = panel({ held });
    expect(waits).toContain('Next attempt: ');
    expect(waits).toContain('compare its signing secret');
    expect(waits).toContain('<a href="/settings/webhooks/endpoints/d0">The shop</a>');
    expect(waits).toContain('value="send-now"');
    const dead = panel({ status: 'dead', held: { state: 'dead', deadLetter: '1-2', payloads: [{}] } });
    expect(dead).toContain('<input type="hidden" name="id" value="1-2" />');
    expect(dead).toContain('value="ask-redrive"');
    expect(panel({})).not.toContain('id="again"');
    const nextAttemptAt = '2026-01-05T10:00:30.000Z';
    const batchAttempts = [attempt('1'), attempt('2', { attempt: 2 })];
    for (const followed of [panel({}), panel({ held, batchAttempts }), panel({ held, nextAttemptAt })])
      expect(followed).not.toContain('Next attempt: ');
  });
  it('is sent again from the log if it has delivered, and if its endpoint still gets events', () => {
    expect(panel({ status: 'delivered' })).toContain('value="send-attempt-again"');
    for (const none of [panel({ status: 'delivered' }, false), panel({ status: 'delivered', destination: 'gone' })])
      expect(none).not.toContain('id="again"');
  });
});
