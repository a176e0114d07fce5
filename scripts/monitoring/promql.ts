import { parser } from '@prometheus-io/lezer-promql';

/** A selector in a query: `name{label="value"}`. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

export interface Query {
  readonly selectors: readonly Selector[];
  /** Labels that aggregations group by. */
  readonly grouping: readonly string[];
}

/** Grafana replaces these variables by the length of a step. */
const GRAFANA_INTERVAL = /\$__(rate_)?interval/g;

/** Reads a query with Prometheus' grammar. @throws Error that shows the query if it is not well formed. */
export function readQuery(expression: string): Query {
  const text = expression.replace(GRAFANA_INTERVAL, '5m');
  const selectors: { metric: string; matchers: { label: string; operator: string; value: string }[] }[] = [];
  const grouping: string[] = [];
  let isGrouping = false;
  parser.parse(text).iterate({
    enter(node) {
      const own = text.slice(node.from, node.to);
      const matcher = selectors.at(-1)?.matchers.at(-1);
      if (node.type.isError) throw new Error(`not a PromQL query, near character ${node.from}: ${text}`);
      if (node.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      else if (node.name === 'Identifier') selectors.splice(-1, 1, { metric: own, matchers: [] });
      else if (node.name === 'UnquotedLabelMatcher')
        selectors.at(-1)?.matchers.push({ label: '', operator: '', value: '' });
      else if (node.name === 'GroupingLabels') isGrouping = true;
      else if (node.name === 'LabelName' && isGrouping) grouping.push(own);
      else if (node.name === 'LabelName' && matcher !== undefined) matcher.label = own;
      else if (node.name === 'MatchOp' && matcher !== undefined) matcher.operator = own;
      else if (node.name === 'StringLiteral' && matcher !== undefined) matcher.value = own.slice(1, -1);
    },
    leave(node) {
      if (node.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, grouping };
}
