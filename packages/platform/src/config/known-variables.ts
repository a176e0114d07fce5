import { commonEnvironment, deliveryEnvironment, egressEnvironment, intakeEnvironment } from './environments.ts';

/**
 * Every variable that some process of Mailhook reads. They may share one environment, so what another service reads is not unknown.
 * A test holds it against the services' shapes.
 */
export const KNOWN_VARIABLES: readonly string[] = [
  ...[commonEnvironment, egressEnvironment, deliveryEnvironment, intakeEnvironment].flatMap((shape) =>
    Object.keys(shape),
  ),
  ...[
    'PORT',
    'OPS_PORT',
    'MONGO_URL',
    'ADMIN_TOKEN',
    'PRODUCER_TOKEN',
    'PUBLIC_URL',
    'TRUST_PROXY',
    'BULL_BOARD_READ_ONLY',
    'BODY_BYTES_IN_FLIGHT_MAX',
  ],
  // Of `npm start`, and what it tells the processes that it starts.
  ...['DATA_DIR', 'MAILHOOK_SUPERVISED'],
];
