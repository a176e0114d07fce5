import { NO_DELIVERIES } from '@mailhook/core';
import type { DestinationHealth } from '@mailhook/core';
import { questionOf } from '../navigation.ts';
import { viewOf } from '../view.suite.ts';
import { endpointsContent } from './content.ts';

const STATES = ['healthy', 'paused', 'failing', 'parked', 'degraded', 'switched_off', 'healthy', 'off'] as const;

/** The ids of the listed endpoints, and the page. */
function listed(query: Record<string, string>, states: readonly DestinationHealth[] = STATES) {
  const view = viewOf(
    states.map((state, i) => ({
      state,
      name: `Endpoint ${(i * 3) % 8}`,
      address: `https://${state}.example.com/`,
      waiting: i === 1 ? 9 : 0,
    })),
  );
  const history = [0, 1, 2].map((i) => [`d${i}`, [{ ...NO_DELIVERIES, fromMs: 0, delivered: 10, failed: i }]] as const);
  const question = questionOf('endpoints', '', query);
  const page = String(endpointsContent({ ...view, question, history: { value: new Map(history) } }));
  return { page, ids: [...page.matchAll(/<tr id="endpoint-([^"]+)"/g)].map(([, id]) => id) };
}

describe('the list of endpoints', () => {
  it('has the worst first, and sorts by links', () => {
    const { ids, page } = listed({});
    expect(ids.slice(0, 5)).toEqual(['d5', 'd3', 'd2', 'd4', 'd1']);
    expect(page).toContain('href="/settings/webhooks/endpoints?sort=waiting">Waiting</a>');
    expect(page).toMatch(/aria-sort="descending"[^>]*>\s*<a class="sort" href="\/settings\/webhooks\/endpoints">State/);
    const byName = listed({ sort: 'name' });
    expect(byName.ids.slice(0, 3)).toEqual(['campaign', 'd0', 'd3']);
    expect(byName.page).toContain('href="/settings/webhooks/endpoints?sort=-name">Endpoint</a>');
    expect(listed({ sort: '-name' }).ids.slice(-1)).toEqual(['campaign']);
    expect(listed({ sort: 'waiting' }).ids[0]).toBe('d1');
    expect(listed({ sort: 'delivered' }).ids.slice(0, 3)).toEqual(['d2', 'd1', 'd0']);
    expect(listed({ sort: 'nothing' }).ids[0]).toBe('d5');
  });
  it('has a field from eight on, which finds names, addresses and types', () => {
    expect(listed({}).page).toContain('id="filter-find"');
    expect(listed({}, ['healthy']).page).not.toContain('id="filter-find"');
    expect(listed({ find: 'PARKED.example' }).ids).toEqual(['d3']);
    expect(listed({ find: 'endpoint 6' }).ids).toEqual(['d2']);
    expect(listed({ find: 'xyz' }).page).toContain('Nothing matches');
  });
  it('names each link with its address too', () => {
    expect(listed({ find: 'parked' }).page).toMatch(
      /<a class="whole"[^>]*>Endpoint 1 <span[^>]*><span>https:\/\/parked/,
    );
  });
});
