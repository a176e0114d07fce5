import { types } from 'node:util';
import winston from 'winston';
import { maskText } from './mask.ts';

export type Logger = winston.Logger;

export interface LoggerOptions {
  readonly level: string;
  readonly service: string;
  /** For humans instead of machines; default: whether standard output is a terminal. */
  readonly pretty?: boolean;
  /** Where the lines go; default: standard output. */
  readonly stream?: NodeJS.WritableStream;
}

/** A logger of JSON lines on standard output. Every address-like string in texts and fields is masked. */
export function createLogger(options: LoggerOptions): Logger {
  const isPretty = options.pretty ?? process.stdout.isTTY;
  const { stream } = options;
  const logger = winston.createLogger({
    level: options.level,
    defaultMeta: { service: options.service },
    format: isPretty ? prettyLine : jsonLine,
  });
  logger.pipe(stream === undefined ? new winston.transports.Console() : new winston.transports.Stream({ stream }));
  return logger;
}

const jsonLine = winston.format.printf(({ level, message, ...fields }) =>
  serialise({ time: new Date().toISOString(), level, message, ...fields }),
);

const prettyLine = winston.format.printf(({ level, message, service, ...fields }) => {
  const more = serialise(fields);
  const time = new Date().toISOString().slice(11, 23);
  return `${time} ${level.padEnd(5)} ${String(service)}: ${maskText(String(message))}${more === '{}' ? '' : ` ${more}`}`;
});

/** Masked JSON of anything; what cannot be serialised is said, never thrown: a log call must not fail the work it reports on. */
function serialise(fields: object): string {
  try {
    return JSON.stringify(fields, replaceField);
  } catch (error) {
    return JSON.stringify({ level: 'error', message: `a log line could not be serialised: ${String(error)}` });
  }
}

function replaceField(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return value.toString();
  if (!types.isNativeError(value)) return value;
  const more = 'code' in value ? { code: value.code } : {};
  const causes = 'errors' in value ? { errors: value.errors } : {};
  return {
    name: value.name,
    message: value.message,
    ...more,
    ...causes,
    stack: value.stack,
    ...(value.cause === undefined ? {} : { cause: value.cause }),
  };
}
