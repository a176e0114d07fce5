import { LANGUAGES } from '@mailhook/core';
import {
  bytes,
  choice,
  color,
  ConfigError,
  commonEnvironment,
  durationMs,
  egressEnvironment,
  fileVariable,
  flag,
  host,
  integer,
  intakeEnvironment,
  labeledSecrets,
  mongoUrl,
  optional,
  originList,
  port,
  proxyTrust,
  readConfig,
  redisUrlReader,
  secret,
  text,
  signingSecret,
  siteUrl,
  smtpUrl,
  url,
  urlTemplate,
} from '@mailhook/platform/config';
import type { LabeledSecret, ProxyTrust } from '@mailhook/platform/config';
import { MAIL_SENDER } from './alerts/mail-sender-name.ts';

const mailSender = () =>
  text(
    {
      pattern: MAIL_SENDER,
      fault: 'must be an e-mail address, or a name and an address such as Mailhook <alerts@example.com>',
    },
    undefined,
  );

const OPERATOR_HEADER = {
  // The audit log must not hold a token or a session.
  pattern: /^(?!(?:proxy-)?authorization$|cookie$)[a-z][a-z0-9-]{0,63}$/i,
  fault: 'must be the name of a header such as X-Forwarded-Email, and not one with a secret',
};

const EVENT_LOG_PLACE = {
  pattern: /^(?:s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w./-]*)?|(?!\w+:\/\/).+)$/,
  fault: 'must be a folder, or s3://bucket/prefix',
};

const SECURITY_CONTACT = {
  pattern: /^(?:https:\/\/[\w-][\x21-\x7e]*|mailto:[\x21-\x3f\x41-\x7e]+@[\w-][\x21-\x3f\x41-\x7e]*)$/,
  fault: 'must be mailto:security@example.com, or a URL that starts with https://',
};

/** Everything this service reads from its environment. */
export const environment = {
  ...commonEnvironment,
  ...egressEnvironment,
  ...intakeEnvironment,
  HOST: host('0.0.0.0').describe(
    'Address that `PORT` listens on, `::` for IPv6 and IPv4 (`127.0.0.1` under `npm start`)',
  ),
  PORT: port(3000).describe('Port of the public API and the settings page'),
  OPS_PORT: port(3100).describe('Port of health, readiness, metrics, the admin API and Bull Board'),
  MONGO_URL: optional(mongoUrl()).describe('MongoDB of accounts and subscriptions; without it they are kept in Redis'),
  ADMIN_TOKEN: labeledSecrets().describe(
    'Token of the admin API and password of Bull Board; several as `label token` or `label:scope token` (scopes: ' +
      'admin, read, portal), with a comma and a space between; the audit log shows the label',
  ),
  HTTPS_ONLY_DESTINATIONS: flag(false).describe(
    'New and changed addresses of receivers must be https; addresses saved before keep getting their events',
  ),
  BULL_BOARD_READ_ONLY: flag(false).describe('Makes Bull Board read-only: no retry, promote, pause or remove'),
  EVENT_LOG: optional(text(EVENT_LOG_PLACE, undefined)).describe(
    'Where accepted events are kept for a while, so that they can be listed and replayed: a folder that all apis ' +
      'share, or `s3://bucket/prefix`; unset: nothing is kept',
  ),
  AWS_ENDPOINT_URL_S3: optional(url()).describe(
    "Of a bucket in `EVENT_LOG` that is not Amazon's; the other variables of Amazon's SDK, such as `AWS_REGION`, " +
      'count too',
  ),
  EVENT_LOG_RETENTION: durationMs('3d', { min: '1h', max: '30d' }).describe(
    'How long an accepted event is kept in the event log',
  ),
  EVENT_LOG_SPOOL: bytes('64mb', { min: '1mb', max: '64gb' }).describe(
    "Bytes per shard in Redis for accepted events that the event log's store has not taken yet, at most a quarter " +
      'of `maxmemory`; beyond them the log has a gap',
  ),
  PRODUCER_TOKEN: secret().describe('Token that producers send events with'),
  BODY_BYTES_IN_FLIGHT_MAX: optional(integer(undefined, { min: 4 * 1024 * 1024, max: 64 * 1024 ** 3 })).describe(
    'Bytes that the bodies of all open requests may use; unset: a twelfth of the memory beyond 128 MiB',
  ),
  PUBLIC_URL: optional(siteUrl()).describe(
    'Where customers reach the API and the settings page; portal links need it; http on loopback: no `Secure`',
  ),
  PORTAL_FRAME_ANCESTORS: originList().describe(
    'Sites that may show the settings page in a frame, such as `https://app.example.com`; https or localhost',
  ),
  PORTAL_LANGUAGE: choice(LANGUAGES, 'en').describe(
    'Language of the settings page for browsers that ask for none of en, pl and de; a reader may choose another',
  ),
  BRAND_NAME: text(
    { pattern: /^[^\p{Cc}]{1,60}$/u, fault: 'must be 1 to 60 characters in one line' },
    'Mailhook',
  ).describe('Name on the settings page and in alert e-mails'),
  BRAND_LOGO_URL: optional(url()).describe('Image on the settings page in place of the name; shown 28 pixels high'),
  BRAND_COLOR: optional(color()).describe(
    'Color of buttons and links on the settings page, such as `#0a7cff`; text is made readable by itself',
  ),
  BRAND_URL: optional(url()).describe('Where the settings page links back to, unless a portal link has a `returnUrl`'),
  OPERATIONS_WEBHOOK_URL: optional(url()).describe(
    'Gets messages when destinations fail, recover or are switched off, dead letters are added, or a limit is reached',
  ),
  OPERATIONS_WEBHOOK_SECRET: optional(signingSecret()).describe(
    'Signing secret of these messages; required with `OPERATIONS_WEBHOOK_URL`',
  ),
  OPERATIONS_WEBHOOK_DEBOUNCE: durationMs('1m').describe(
    'How long a destination must fail, or work again, before a message or an e-mail; dead letters are summed for ' +
      'this long',
  ),
  SMTP_URL: optional(smtpUrl()).describe(
    'Mail server of alerts, such as `smtps://user:password@mail.example.com`; needs `SMTP_FROM` and `PUBLIC_URL`',
  ),
  SMTP_FROM: optional(mailSender()).describe('Sender of alerts, such as `Mailhook <alerts@example.com>`'),
  ALERT_LINK_URL: optional(urlTemplate(['account', 'destination'])).describe(
    'Where the link of these alerts leads to, such as ' +
      '`https://app.example.com/webhooks?account={account}&destination={destination}`; unset: the page of the ' +
      'endpoint under `PUBLIC_URL`, where the reader signs in',
  ),
  CUSTOMER_REQUESTS_PER_SECOND: integer(100, { min: 1, max: 1_000_000 }).describe(
    "Requests per second to an api with one access token, or from one account's settings pages; an account as a " +
      'whole may make twice as many, and searches count as several; events are not limited',
  ),
  SECURITY_CONTACT: optional(text(SECURITY_CONTACT, undefined)).describe(
    'Where to report a weakness of this installation, as `mailto:` or `https:`; unset: no `/.well-known/security.txt`',
  ),
  TRUST_PROXY: proxyTrust().describe(
    'Proxies in front of `PORT`, by number or network, to limit failed sign-ins and connections by client; with ' +
      '`OPERATOR_HEADER` also those in front of `OPS_PORT`',
  ),
  OPERATOR_HEADER: optional(text(OPERATOR_HEADER, undefined)).describe(
    'Header in which a sign-in proxy in front of `OPS_PORT` names the operator, such as `X-Forwarded-Email`; the ' +
      'audit log shows the name; needs the networks of the proxy in `TRUST_PROXY`',
  ),
};

/** The same, with what the values of `env` need. */
export const environmentFor = (env: NodeJS.ProcessEnv) => ({
  ...environment,
  OPERATIONS_WEBHOOK_SECRET: signingSecretFor(env['OPERATIONS_WEBHOOK_URL']),
  ...neededForMail(env['SMTP_URL'] || env[fileVariable('SMTP_URL')]),
});

export interface Tokens {
  readonly ADMIN_TOKEN?: readonly LabeledSecret[] | undefined;
  readonly PRODUCER_TOKEN?: string | undefined;
}

/** A producer must not be able to act as an operator. */
const tokensFault = ({ ADMIN_TOKEN, PRODUCER_TOKEN }: Tokens): string | undefined =>
  ADMIN_TOKEN?.some(({ secret: token }) => token === PRODUCER_TOKEN) === true
    ? 'ADMIN_TOKEN and PRODUCER_TOKEN are the same: producers would be operators; set one to the output of openssl ' +
      'rand -hex 32'
    : undefined;

interface Proxies {
  readonly OPERATOR_HEADER?: string | undefined;
  readonly TRUST_PROXY?: ProxyTrust;
}

/** A number would trust everybody who connects to `OPS_PORT`, which also takes requests that pass no proxy. */
const proxiesFault = ({ OPERATOR_HEADER, TRUST_PROXY = [] }: Proxies): string | undefined =>
  OPERATOR_HEADER === undefined || Array.isArray(TRUST_PROXY)
    ? undefined
    : 'OPERATOR_HEADER needs TRUST_PROXY with the networks of your sign-in proxy, such as 10.0.3.7/32, and of the ' +
      'proxies in front of PORT; a number names nobody';

/** What must be true of several values together. */
export const RULES = [tokensFault, proxiesFault];

export type Config = ReturnType<typeof loadConfig>;

/** Throws ConfigError, which lists every bad variable at once. */
export const loadConfig = (env: NodeJS.ProcessEnv = process.env) => ({
  ...readConfig(environmentFor(env), env, RULES),
  readAgain: { ...readersOfFiles(env), redisUrl: redisUrlReader(env) },
});

/** Read the tokens that come from files again. Throw ConfigError. */
const readersOfFiles = (env: NodeJS.ProcessEnv) => {
  const { ADMIN_TOKEN, PRODUCER_TOKEN } = environment;
  const admin = (...rules: (typeof tokensFault)[]) => readConfig({ ADMIN_TOKEN }, env, rules).ADMIN_TOKEN;
  const producer = (...rules: (typeof tokensFault)[]) => readConfig({ PRODUCER_TOKEN }, env, rules).PRODUCER_TOKEN;
  return {
    ...(env[fileVariable('ADMIN_TOKEN')]
      ? {
          adminTokens: () => admin((values) => tokensFault({ ...values, PRODUCER_TOKEN: unlessBroken(producer) })),
        }
      : {}),
    ...(env[fileVariable('PRODUCER_TOKEN')]
      ? {
          producerToken: () => producer((values) => tokensFault({ ...values, ADMIN_TOKEN: unlessBroken(admin) })),
        }
      : {}),
  };
};

/** A broken file of one kind of token must not keep a change of the other kind away. */
function unlessBroken<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Required with the URL, because every message is signed. */
const signingSecretFor = (webhookUrl: string | undefined): typeof environment.OPERATIONS_WEBHOOK_SECRET =>
  webhookUrl
    ? signingSecret().describe('the signing secret of the operations webhook')
    : environment.OPERATIONS_WEBHOOK_SECRET;

/** Every e-mail has a sender, and links to `PUBLIC_URL`. */
const neededForMail = (smtp: string | undefined): Pick<typeof environment, 'SMTP_FROM' | 'PUBLIC_URL'> =>
  smtp
    ? {
        SMTP_FROM: mailSender().describe('the sender of e-mails'),
        PUBLIC_URL: siteUrl().describe('where the links in e-mails lead to, because SMTP_URL is set'),
      }
    : { SMTP_FROM: environment.SMTP_FROM, PUBLIC_URL: environment.PUBLIC_URL };
