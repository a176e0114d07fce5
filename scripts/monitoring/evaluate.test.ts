import type { Panel } from './dashboard.ts';
import { fillPanels } from './evaluate.ts';

const range = { start: 0, end: 90, step: 2 };
const row: Panel = { type: 'row', title: 'Mail' };
const panel: Panel = {
  type: 'timeseries',
  title: 'Accepted',
  targets: [{ expr: 'rate(x[$__rate_interval])', legendFormat: '{{kind}} {{ missing }}' }],
};

test('lines have the names of the legend, and a rate covers four scrapes', async () => {
  const asked: string[] = [];
  const filled = await fillPanels(
    { title: '', panels: [row, panel] },
    (query) => {
      asked.push(query);
      return Promise.resolve([{ labels: { kind: 'campaign' }, points: [[2, 7]] }]);
    },
    range,
    5,
  );
  expect(asked).toEqual(['rate(x[20s])']);
  expect(filled.map(({ lines }) => lines)).toEqual([[], [{ name: 'campaign', points: [[2, 7]] }]]);
});

test.each([
  ['no series', []],
  ['a series without a number', [{ labels: {}, points: [] }]],
])('a panel with %s is named in the error, with its query', async (_what, series) => {
  const filling = fillPanels({ title: '', panels: [row, panel] }, () => Promise.resolve(series), range, 2);
  await expect(filling).rejects.toThrow('These panels have no data:\n  "Accepted": rate(x[$__rate_interval])');
});
