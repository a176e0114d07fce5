import { z } from 'zod';
import { parseDurationMs, parseScheduleMs, unseenFault } from '@mailhook/core';
import ipaddr from 'ipaddr.js';
import { isRedisUrl, REDIS_URL_FORMS } from '../redis/index.ts';

/**
 * An environment variable, as a schema from text (or nothing) to a typed value. Its description and default are its
 * metadata.
 */
export type Variable<Value> = z.ZodType<Value, string | undefined>;

/** The metadata of a variable, from which its documentation is generated. */
export interface VariableMeta {
  readonly description?: string | undefined;
  /** The default as a user would write it. */
  readonly default?: string;
  /** True if the value must never appear in an error message. */
  readonly secret?: boolean;
  /** True if the variable may be absent although it has no default. */
  readonly optional?: boolean;
  /** True if the variable's name with `_FILE` may name a file that holds the value. */
  readonly fromFile?: boolean;
}

/** Marks the variables that Docker and Kubernetes can mount as files. */
const IN_FILE = { fromFile: true } as const satisfies VariableMeta;

/** A value, or a fault as the end of a sentence ("must be ..."). */
type Reading<Value> = { readonly value: Value } | { readonly fault: string };
type Reader<Value> = (text: string) => Reading<Value>;

const transformWith =
  <Value>(read: Reader<Value>) =>
  (text: string, context: z.RefinementCtx<string>): Value => {
    const reading = read(text.trim());
    if ('value' in reading) return reading.value;
    context.addIssue({ code: 'custom', message: reading.fault });
    return z.NEVER;
  };

/** A variable with a default, or a required one if `defaultText` is undefined. */
function variable<Value>(read: Reader<Value>, defaultText: string | undefined): Variable<Value> {
  if (defaultText === undefined) return z.string().transform(transformWith(read));
  return z.string().default(defaultText).transform(transformWith(read)).meta({ default: defaultText });
}

/** The same variable, but not required. */
export const optional = <Value>(of: Variable<Value>): Variable<Value | undefined> =>
  // `optional` makes a new schema, without the metadata.
  of.optional().meta({ ...z.globalRegistry.get(of), optional: true });

/** A duration such as `5s` or `2m`, as milliseconds. The bounds are durations too. */
export const durationMs = (defaultText?: string, bounds?: { readonly min: string; readonly max: string }) =>
  variable((text) => {
    const value = parseDurationMs(text);
    if (value === undefined) return { fault: 'must be a duration such as 500ms, 5s, 2m, 1h or 3d' };
    const { min, max } = bounds ?? { min: '0s', max: '' };
    const isWithin = value >= (parseDurationMs(min) ?? 0) && value <= (parseDurationMs(max) ?? value);
    return isWithin ? { value } : { fault: `must be from ${min} to ${max}` };
  }, defaultText);

const BYTE_UNITS: Readonly<Record<string, number>> = { '': 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** A number of bytes such as 64mb, with the units of Redis. */
export const bytes = (defaultText: string, { min, max }: { readonly min: string; readonly max: string }) =>
  variable((text) => {
    const value = parseBytes(text);
    if (value === undefined) return { fault: 'must be a number of bytes such as 65536, 512kb, 64mb or 1gb' };
    const isWithin = value >= (parseBytes(min) ?? 0) && value <= (parseBytes(max) ?? value);
    return isWithin ? { value } : { fault: `must be from ${min} to ${max}` };
  }, defaultText);

function parseBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,15})(kb|mb|gb)?$/.exec(text.trim().toLowerCase()) ?? [];
  return digits === undefined ? undefined : Number(digits) * (BYTE_UNITS[unit] ?? 1);
}

/** A comma-separated list of durations, as milliseconds. */
export const scheduleMs = (defaultText?: string): Variable<readonly number[]> =>
  variable((text) => {
    const value = parseScheduleMs(text);
    return value === undefined ? { fault: 'must be a list of durations such as 5s,30s,2m,1h' } : { value };
  }, defaultText);

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

export const flag = (defaultValue: boolean): Variable<boolean> =>
  variable((text) => {
    const value = FLAGS.get(text.toLowerCase());
    return value === undefined ? { fault: 'must be true or false' } : { value };
  }, String(defaultValue));

const numberWithin = (text: string, range: { min: number; max: number }, isWhole: boolean): Reading<number> => {
  const value = /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN;
  const isGood = value >= range.min && value <= range.max && (!isWhole || Number.isInteger(value));
  return isGood ? { value } : { fault: `must be a ${isWhole ? 'whole ' : ''}number from ${range.min} to ${range.max}` };
};

export const integer = (defaultValue: number | undefined, range: { min: number; max: number }): Variable<number> =>
  variable((text) => numberWithin(text, range, true), defaultValue?.toString());

export const fraction = (defaultValue: number): Variable<number> =>
  variable((text) => numberWithin(text, { min: 0, max: 1 }, false), String(defaultValue));

/** A port to listen on. 0 means any free port. */
export const port = (defaultValue?: number): Variable<number> => integer(defaultValue, { min: 0, max: 65_535 });

const list = (text: string): string[] => (text === '' ? [] : text.split(',').map((part) => part.trim()));

/** Comma-separated networks (`10.0.0.0/8`, `fd00::/8`) or single addresses, which become networks. */
export const cidrList = (defaultText = ''): Variable<readonly string[]> =>
  variable((text) => {
    const networks = list(text).map(asCidr);
    return networks.every((network) => network !== undefined)
      ? { value: networks }
      : { fault: 'must be a list of networks such as 10.0.0.0/8,fd00::/8' };
  }, defaultText);

const NAT64_BITS: readonly string[] = ['32', '40', '48', '56', '64', '96'];

/** Prefixes that embed IPv4 addresses (RFC 6052). */
export const nat64List = (): Variable<readonly string[]> =>
  variable((text) => {
    const prefixes = list(text);
    const isPrefix = (prefix: string): boolean =>
      ipaddr.IPv6.isValidCIDR(prefix) && NAT64_BITS.includes(prefix.slice(prefix.indexOf('/') + 1));
    return prefixes.every(isPrefix)
      ? { value: prefixes }
      : { fault: 'must be a list of IPv6 networks of 32, 40, 48, 56, 64 or 96 bits such as 2001:db8:64::/96' };
  }, '');

function asCidr(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) return text;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return `${text}/32`;
  return ipaddr.IPv6.isValid(text) ? `${text}/128` : undefined;
}

/**
 * The trusted part of `X-Forwarded-For`: nothing, the entries of a number of proxies, or the entries of proxies in
 * these networks.
 */
export type ProxyTrust = false | number | readonly string[];

const HOPS = { min: 1, max: 32 };

/**
 * The number of proxies in front, or their networks. Off by default, because a client that connects directly could
 * claim any address.
 */
export const proxyTrust = (): Variable<ProxyTrust> =>
  variable<ProxyTrust>((text) => {
    if (text === '') return { value: false };
    const networks = list(text).map(asCidr);
    if (networks.every((network) => network !== undefined)) return { value: networks };
    const hops = numberWithin(text, HOPS, true);
    return 'value' in hops
      ? hops
      : { fault: 'must be the number of proxies in front (1 to 32), or their networks such as 10.0.0.0/8,fd00::/8' };
  }, '');

/** Comma-separated TCP ports. */
export const portList = (defaultText = ''): Variable<readonly number[]> =>
  variable((text) => {
    const ports = list(text).map((part) => numberWithin(part, { min: 1, max: 65_535 }, true));
    return ports.every((one) => 'value' in one)
      ? { value: ports.map((one) => one.value) }
      : { fault: 'must be a list of ports such as 25,6379' };
  }, defaultText);

/** A URL that opens in browsers or gets requests, so what one sees must be all of it. */
const seenUrl = (read: Reader<string>, defaultText?: string): Variable<string> =>
  variable((text) => {
    const fault = unseenFault(text);
    return fault === undefined ? read(text) : { fault };
  }, defaultText);

/** An absolute URL of one of the schemes (`http:`, `redis:`). */
export const url = (defaultText?: string, protocols: readonly string[] = ['http:', 'https:']): Variable<string> =>
  seenUrl((text) => {
    const isGood = URL.canParse(text) && protocols.includes(new URL(text).protocol);
    return isGood
      ? { value: text }
      : { fault: `must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}` };
  }, defaultText);

/** A URL with placeholders such as `{account}` in it. They may not be in the host. */
export const urlTemplate = (names: readonly string[]): Variable<string> =>
  seenUrl((text) => {
    const placeholder = new RegExp(`\\{(?:${names.join('|')})\\}`, 'g');
    const [one, other] = ['a', 'b'].map((value) => text.replaceAll(placeholder, value));
    const isGood =
      one !== undefined &&
      !/[{}\s]/.test(one) &&
      /^https?:\/\/[^/?#]*$/i.test(originOf(one)) &&
      originOf(one) === originOf(other ?? '') &&
      new URL(one).username === '';
    const known = names.map((name) => `{${name}}`).join(' and ');
    return isGood
      ? { value: text }
      : { fault: `must be a URL that starts with http:// or https:// and has, after its host, no braces but ${known}` };
  });

const originOf = (text: string): string => (URL.canParse(text) ? new URL(text).origin : '');

/** The URL of a site at the root of its host. */
export const siteUrl = (): Variable<string> =>
  seenUrl((text) => {
    if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
      return { fault: 'must be a URL that starts with http:// or https://' };
    const { origin } = new URL(text);
    return text.replace(/\/$/, '').toLowerCase() === origin.toLowerCase() || new URL(text).href === `${origin}/`
      ? { value: text }
      : { fault: 'must have no path, query or user: all pages and routes are at the root of a host' };
  });

/** An address or name to listen on. A URL has brackets around an IPv6 address, so they are taken off. */
export const host = (defaultText?: string): Variable<string> =>
  variable((text) => {
    const address = text.replace(/^\[(.*)\]$/, '$1');
    return /^[^\s[\]]+$/.test(address)
      ? { value: address }
      : { fault: 'must be an address to listen on, such as 0.0.0.0' };
  }, defaultText);

/**
 * A sign of a password that is not percent-encoded ends the host too early, so that the rest of the address has the @.
 */
const withPasswordHint = (fault: string, text: string): string =>
  text.includes('@') ? `${fault}; write # / ? and @ in a password as %23 %2F %3F and %40` : fault;

/** The address of an outgoing proxy, with user and password if it wants them. */
export const proxyUrl = (): Variable<string> =>
  variable((text) => {
    const isGood = URL.canParse(text) && isProxy(new URL(text));
    return isGood
      ? { value: text }
      : {
          fault: withPasswordHint(
            'must be http://host:port or https://host:port, with user:password@ before the host if the proxy wants it',
            text,
          ),
        };
  }, undefined).meta(IN_FILE);

function isProxy({ protocol, username, password, pathname, search, hash }: URL): boolean {
  const isAlone = pathname === '/' && search === '' && hash === '';
  return ['http:', 'https:'].includes(protocol) && isAlone && isDecodable(username) && isDecodable(password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The address of an SMTP server, with user and password if it wants them. */
export const smtpUrl = (): Variable<string> =>
  variable((text) => {
    const isGood =
      URL.canParse(text) && ['smtp:', 'smtps:'].includes(new URL(text).protocol) && new URL(text).host !== '';
    return isGood
      ? { value: text }
      : {
          fault: withPasswordHint(
            'must be smtp://host:port or smtps://host:port, with user:password@ before the host if the server wants it',
            text,
          ),
        };
  }, undefined).meta({ secret: true, ...IN_FILE });

/** Comma-separated origins of web sites, without paths and wildcards. */
export const originList = (): Variable<readonly string[]> =>
  variable((text) => {
    const origins = list(text).map((one) => one.replace(/\/$/, ''));
    return origins.every(
      (one) => /^https?:\/\/[\w.:[\]-]+$/.test(one) && URL.canParse(one) && new URL(one).origin === one,
    )
      ? { value: origins }
      : { fault: 'must be a list of origins such as https://app.example.com,https://admin.example.com:8443' };
  }, '');

/** A color as `#rrggbb`, in lower case. */
export const color = (): Variable<string> =>
  variable((text) => {
    const isGood = /^#[0-9a-f]{6}$/i.test(text);
    return isGood ? { value: text.toLowerCase() } : { fault: 'must be a color such as #0a7cff' };
  }, undefined);

/** The address of MongoDB: one server, the members of a replica set, or a name that DNS resolves to them. */
export const mongoUrl = (): Variable<string> =>
  variable((text) => {
    // `URL` cannot read a list of members.
    const [, start = '', members = '', rest = ''] = /^(mongodb:\/\/(?:[^/?@]*@)?)([^/?@]+)(.*)$/.exec(text) ?? [];
    const isSet =
      !rest.includes('@') &&
      members.split(',').every((member) => member !== '' && URL.canParse(`${start}${member}${rest}`));
    return isSet || (text.startsWith('mongodb+srv://') && URL.canParse(text))
      ? { value: text }
      : {
          fault: withPasswordHint(
            'must be mongodb://host:port, for a replica set mongodb://host:port,host:port, or mongodb+srv://host',
            text,
          ),
        };
  }, undefined).meta(IN_FILE);

/** The address of Redis: one server, some nodes of a cluster, or sentinels. */
export const redisUrl = (defaultText?: string): Variable<string> =>
  variable(
    (text) => (isRedisUrl(text) ? { value: text } : { fault: withPasswordHint(`must be ${REDIS_URL_FORMS}`, text) }),
    defaultText,
  ).meta(IN_FILE);

/** One of a few words. */
export const choice = <const Word extends string>(words: readonly Word[], defaultWord?: Word): Variable<Word> =>
  variable((text) => {
    const value = words.find((word) => word === text);
    return value === undefined ? { fault: `must be one of ${words.join(', ')}` } : { value };
  }, defaultWord);

/** Text that matches the pattern. `fault` describes the pattern in words. */
export const text = (rule: { pattern: RegExp; fault: string }, defaultText?: string): Variable<string> =>
  variable((value) => (rule.pattern.test(value) ? { value } : { fault: rule.fault }), defaultText);

/** Shorter secrets can be guessed, or are placeholders such as `admin-token`. */
const SECRET_MIN_LENGTH = 24;

const SECRET = new RegExp(`^[\\x21-\\x7e]{${SECRET_MIN_LENGTH},}$`);
const SECRET_FAULT = `must be at least ${SECRET_MIN_LENGTH} printable ASCII characters without spaces`;

/** A token of one repeated word can be guessed, however long it is. */
const SECRET_MIN_LETTERS = 8;

/** Returns what is wrong with a token, as the end of a sentence. Undefined if nobody can guess it. */
export function tokenFault(token: string): string | undefined {
  if (!SECRET.test(token)) return SECRET_FAULT;
  if (new Set(token).size >= SECRET_MIN_LETTERS) return undefined;
  return `must have at least ${SECRET_MIN_LETTERS} different characters, as of: openssl rand -hex 32`;
}

/** One key or several, comma-separated, of 32 bytes each in base64. */
export const secretKeys = (): Variable<Buffer[]> =>
  variable((text) => {
    const keys = text
      .split(',')
      .filter((part) => part.trim() !== '')
      .map((part) => Buffer.from(part.trim(), 'base64'));
    return keys.every(({ length }) => length === 32)
      ? { value: keys }
      : {
          fault:
            'must be 32 random bytes in base64 (openssl rand -base64 32), or several such keys with commas between',
        };
  }, undefined).meta({ secret: true, ...IN_FILE });

/** A required secret, without spaces and never shown. */
export const secret = (): Variable<string> =>
  variable((value) => {
    const fault = tokenFault(value);
    return fault === undefined ? { value } : { fault };
  }, undefined).meta({ secret: true, ...IN_FILE });

const SCOPES = ['admin', 'read', 'portal'] as const;
/** What a token of operators may do: everything, only see, or only create portal links and end their sessions. */
export type Scope = (typeof SCOPES)[number];

/** A secret with the name of the person or program that uses it. */
export interface LabeledSecret {
  readonly label: string | undefined;
  readonly scope: Scope;
  readonly secret: string;
}

/** Too short for a secret, so that a forgotten comma cannot make a secret a label, which logs show. */
const LABEL_MAX_LENGTH = SECRET_MIN_LENGTH - 1;
const LABEL = new RegExp(`^([\\w.@-]{1,${LABEL_MAX_LENGTH}})(?::(${SCOPES.join('|')}))?$`);

/** Undefined for a text that is not `secret`, `label secret` or `label:scope secret`. */
function labeledSecretOf(entry: string): LabeledSecret | undefined {
  const [one = '', name, ...more] = entry.split(/\s+/).toReversed();
  const [matched, label, scope] = LABEL.exec(name ?? '') ?? [];
  if (!SECRET.test(one) || more.length > 0 || (name !== undefined && matched === undefined)) return undefined;
  return { label, scope: SCOPES.find((known) => known === scope) ?? 'admin', secret: one };
}

/**
 * A required secret, or several of them as `label secret` or `label:scope secret`, one per line or with a comma and a
 * space between. A text without spaces is one secret, because a secret may contain commas, colons and equals signs. One
 * of them must have the scope `admin`, the default.
 */
export const labeledSecrets = (): Variable<readonly LabeledSecret[]> =>
  variable<readonly LabeledSecret[]>((value) => {
    const entries = value.split(/\s*\n\s*|,\s+/).filter((entry) => entry !== '');
    const found = entries.flatMap((entry) => labeledSecretOf(entry) ?? []);
    if (found.length < entries.length || found.length === 0) {
      return {
        fault:
          `${SECRET_FAULT}, or several as "label token" or "label:scope token", one per line or with ", " between; a ` +
          `label has 1 to ${LABEL_MAX_LENGTH} letters, digits, dots, dashes, underscores or @, and a scope is one of ` +
          SCOPES.join(', '),
      };
    }
    const weak = found.map(({ secret: one }) => tokenFault(one)).find((fault) => fault !== undefined);
    if (weak !== undefined) return { fault: weak };
    if (new Set(found.map((one) => one.secret)).size < found.length) return { fault: 'must not have a token twice' };
    return found.some(({ scope }) => scope === 'admin')
      ? { value: found }
      : { fault: 'must have a token with the scope admin, which is the one without a scope' };
  }, undefined).meta({ secret: true, ...IN_FILE });

/** Shortest and longest key of a signing secret, as Standard Webhooks has it. */
const SIGNING_KEY_BYTES = { min: 24, max: 64 };

/** A required signing secret for webhooks, never shown. */
export const signingSecret = (): Variable<string> =>
  variable<string>((value) => {
    const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? [];
    const bytes = Buffer.from(base64, 'base64').length;
    return bytes >= SIGNING_KEY_BYTES.min && bytes <= SIGNING_KEY_BYTES.max
      ? { value }
      : {
          fault: 'must be whsec_ and the base64 of 24 to 64 random bytes, as of: echo whsec_$(openssl rand -base64 32)',
        };
  }, undefined).meta({ secret: true, ...IN_FILE });
