// The operations pages work without this script. With it, times are in the reader's time zone.

import { startTimes } from './times.js';

startTimes();
