/** A series of a scrape: a metric with one set of labels. */
export interface Series {
  readonly metric: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** Reads the reply of `/metrics`, in the Prometheus text format. */
export function readScrape(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, metric = '', labels = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (metric === '') throw new Error(`not a line of the Prometheus text format: ${line}`);
      return { metric, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) };
    });
}

const readLabels = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]));
