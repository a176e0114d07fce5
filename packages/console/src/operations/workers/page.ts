import { page } from '../family.ts';
import { workersContent } from './content.ts';

export const workersPage = page({
  path: '/workers',
  name: 'workers',
  asks: [],
  load: ({ services }) => ({ reading: services.readOperations() }),
  show: ({ reading: { report } }) => ({
    title: 'Workers',
    lead: 'Each sends heartbeats. Without one, other workers claim its destinations within seconds.',
    content: workersContent(report),
    isLive: true,
    asOf: report.time,
  }),
});
