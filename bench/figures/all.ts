import type { Figure } from '../report/figure.ts';
import { dead } from './dead.ts';
import { everydays } from './everyday.ts';
import { growth } from './growth.ts';
import { hanging } from './hanging.ts';
import { httpsFigures } from './https.ts';
import { ids } from './ids.ts';
import { idle } from './idle.ts';
import { intakes } from './intake.ts';
import { kill } from './kill.ts';
import { latency } from './latency.ts';
import { loggedFigures } from './logged.ts';
import { memory } from './memory.ts';
import { processes } from './processes.ts';
import { scriptTimes } from './script-times.ts';
import { shapeFigures } from './shapes.ts';
import { soak } from './soak.ts';
import { throughputFigures } from './throughput-figures.ts';
import { wholes } from './whole.ts';

/** All figures, in the order in which they run. */
export const figures: readonly Figure[] = [
  ...everydays,
  idle,
  ...httpsFigures,
  ...throughputFigures,
  ...shapeFigures,
  ...intakes,
  hanging,
  latency,
  ...wholes,
  kill,
  memory,
  dead,
  growth,
  ids,
  ...loggedFigures,
  processes,
  scriptTimes,
  soak,
];
