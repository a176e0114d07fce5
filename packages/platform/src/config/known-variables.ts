import { commonEnvironment, deliveryEnvironment, egressEnvironment, intakeEnvironment } from './environments.ts';

/** The variable that may name a file with the value of `name`. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * The variables that may come from a file. A test compares this list with the metadata of the variables of all
 * services.
 */
const SECRET_VARIABLES = [
  'REDIS_URL',
  'MONGO_URL',
  'SECRETS_KEY',
  'ADMIN_TOKEN',
  'PRODUCER_TOKEN',
  'OPERATIONS_WEBHOOK_SECRET',
  'SMTP_URL',
  'EGRESS_PROXY_URL',
];

export const FILE_VARIABLES: readonly string[] = SECRET_VARIABLES.map(fileVariable);

/**
 * Every variable that a process of Mailhook reads. The services may share one environment, so a variable of another
 * service must count as known. A test compares this list with the variables of all services.
 */
export const KNOWN_VARIABLES: readonly string[] = [
  ...[commonEnvironment, egressEnvironment, deliveryEnvironment, intakeEnvironment].flatMap((shape) =>
    Object.keys(shape),
  ),
  'HOST',
  'PORT',
  'OPS_PORT',
  'MONGO_URL',
  'ADMIN_TOKEN',
  'PRODUCER_TOKEN',
  'PUBLIC_URL',
  'PORTAL_FRAME_ANCESTORS',
  'PORTAL_LANGUAGE',
  'BRAND_NAME',
  'BRAND_LOGO_URL',
  'BRAND_COLOR',
  'BRAND_URL',
  'OPERATIONS_WEBHOOK_URL',
  'OPERATIONS_WEBHOOK_SECRET',
  'OPERATIONS_WEBHOOK_DEBOUNCE',
  'SMTP_URL',
  'SMTP_FROM',
  'ALERT_LINK_URL',
  'SECURITY_CONTACT',
  'TRUST_PROXY',
  'OPERATOR_HEADER',
  'BULL_BOARD_READ_ONLY',
  'EVENT_LOG',
  'EVENT_LOG_RETENTION',
  'EVENT_LOG_SPOOL',
  'AWS_ENDPOINT_URL_S3',
  'HTTPS_ONLY_DESTINATIONS',
  'BODY_BYTES_IN_FLIGHT_MAX',
  'TRANSACTIONAL_RETRY_SCHEDULE',
  'CAMPAIGN_RETRY_SCHEDULE',
  'CUSTOMER_REQUESTS_PER_SECOND',
  // Read by `npm start`, and set by it for the processes that it starts.
  'DATA_DIR',
  'MAILHOOK_SUPERVISED',
];
