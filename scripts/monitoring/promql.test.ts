import { readQuery } from './promql.ts';
import { readScrape } from './scrape.ts';

describe('readQuery', () => {
  test('finds all metrics and labels of a query', () => {
    const query =
      'sum by (kind, le) (rate(a_total{x="y",z!~"u|v"}[$__rate_interval])) > 0 or absent(up{job="api"} == 1)';
    expect(readQuery(query)).toEqual({
      selectors: [
        {
          metric: 'a_total',
          matchers: [
            { label: 'x', operator: '=', value: 'y' },
            { label: 'z', operator: '!~', value: 'u|v' },
          ],
        },
        { metric: 'up', matchers: [{ label: 'job', operator: '=', value: 'api' }] },
      ],
      grouping: ['kind', 'le'],
    });
  });

  test.each(['sum(rate(x[5m]', 'rate(x[5m]))', 'x{a=}', ''])('refuses %j', (query) => {
    expect(() => readQuery(query)).toThrow('not a PromQL query');
  });
});

describe('readScrape', () => {
  test('reads names, labels and values', () => {
    const series = readScrape('# HELP a text\n# TYPE a gauge\na 1\nb_bucket{le="+Inf",x="say \\"hi\\""} 2.5\nc +Inf\n');
    expect(series.map(({ metric, labels, value }) => [metric, Object.fromEntries(labels), value])).toEqual([
      ['a', {}, 1],
      ['b_bucket', { le: '+Inf', x: 'say \\"hi\\"' }, 2.5],
      ['c', {}, Number.POSITIVE_INFINITY],
    ]);
  });

  test('refuses other texts', () => {
    expect(() => readScrape('<html>')).toThrow('not a line');
  });
});
