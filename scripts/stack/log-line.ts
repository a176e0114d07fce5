import { escapeUnseen } from '@mailhook/core';

const SHOWN_LEVELS = new Set(['warn', 'error']);
/** Fields that are shown in another way, or that do not help a person at a terminal. */
const LEFT_OUT = new Set(['time', 'level', 'message', 'service', 'stack']);

/**
 * Formats a service's log line for the terminal. Returns undefined if the line is no warning or error. Values come from
 * outside: what they have of control characters does nothing, and their further lines are indented.
 */
export function readLogLine(line: string): string | undefined {
  const read = readRecord(line);
  return read === undefined ? undefined : escapeUnseen(read).replaceAll('\n', '\n  ');
}

function readRecord(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const record = parse(line);
  if (record === undefined || !SHOWN_LEVELS.has(String(record['level']))) return undefined;
  const details = Object.entries(record)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${plain(value)}`);
  const message = `${String(record['level'])}: ${String(record['message'])}`;
  return details.length === 0 ? message : `${message} (${details.join(', ')})`;
}

/** Errors are logged as `{name, message, stack, ...}`. */
function plain(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
