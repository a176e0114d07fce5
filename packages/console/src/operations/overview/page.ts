import { contextOf, page } from '../family.ts';
import { probeAll } from '../destinations/failing-receivers.ts';
import { elsewhere } from '../navigation.ts';
import { headline, overviewContent } from './content.ts';

/** Of the charts: three hours. */
const TREND_MINUTES = 180;

export const overviewPage = page({
  path: '',
  name: 'overview',
  asks: [],
  moved: elsewhere,
  load: ({ services }) => ({
    reading: services.readOperations(),
    trends: services.trends.read(TREND_MINUTES, Date.now()),
  }),
  show: ({ reading: { report, names }, trends }) => ({
    title: headline(report.findings),
    lead: 'The whole installation: what is stuck, and why.',
    content: overviewContent(report, trends, contextOf(names, Date.parse(report.time))),
    isLive: true,
    asOf: report.time,
  }),
  actions: { 'probe-all': probeAll },
});
