import { types } from 'node:util';
import { escapeUnseen } from '@mailhook/core';
import winston from 'winston';
import { maskField, maskText } from './mask.ts';
import { createRepeatLimit } from './repeats.ts';

export type Logger = winston.Logger;

export interface LoggerOptions {
  readonly level: string;
  readonly service: string;
  /** Readable lines instead of JSON. The default is true if standard output is a terminal. */
  readonly pretty?: boolean;
  /** The destination of the lines. The default is standard output. */
  readonly stream?: NodeJS.WritableStream;
}

/**
 * Creates a logger. Masks fields with recipient data, and every string in texts and fields that looks like an email
 * address.
 */
export function createLogger(options: LoggerOptions): Logger {
  const isPretty = options.pretty ?? process.stdout.isTTY;
  const { stream } = options;
  const logger = winston.createLogger({
    level: options.level,
    defaultMeta: { service: options.service },
    format: winston.format.combine(withoutRepeats(), isPretty ? prettyLine : jsonLine),
  });
  logger.pipe(stream === undefined ? new winston.transports.Console() : new winston.transports.Stream({ stream }));
  return logger;
}

/**
 * Leaves out warnings and errors that repeat earlier ones (see `RepeatLimit`). Each refused request has an id, which
 * makes no new line of it.
 */
function withoutRepeats(): winston.Logform.Format {
  const limit = createRepeatLimit();
  return winston.format((info) => {
    if (info.level !== 'warn' && info.level !== 'error') return info;
    const { isWritten, leftOut } = limit.admit(serialise({ ...info, requestId: undefined }), Date.now());
    if (!isWritten) return false;
    return leftOut === 0 ? info : { ...info, repeatsLeftOut: leftOut };
  })();
}

const jsonLine = winston.format.printf(({ level, message, ...fields }) =>
  serialise({ time: new Date().toISOString(), level, message, ...fields }),
);

const prettyLine = winston.format.printf(({ level, message, service, ...fields }) => {
  const more = serialise(fields);
  const time = new Date().toISOString().slice(11, 23);
  const text = `${maskText(String(message))}${more === '{}' ? '' : ` ${more}`}`;
  return `${time} ${level.padEnd(5)} ${String(service)}: ${escapeUnseen(text)}`;
});

/**
 * Serializes fields as masked JSON. Reports a failure instead of throwing, because a log call must not fail the work
 * that it reports on.
 */
function serialise(fields: object): string {
  try {
    return JSON.stringify(fields, replaceField);
  } catch (error) {
    return JSON.stringify({ level: 'error', message: `a log line could not be serialised: ${String(error)}` });
  }
}

function replaceField(key: string, value: unknown): unknown {
  if (typeof value === 'string') return maskField(key, value);
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
