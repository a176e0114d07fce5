import path from 'node:path';
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Output for a person. Colors appear only on a terminal that wants them. */
export interface Terminal {
  readonly isInteractive: boolean;
  line(text?: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** Shows a line that the next output replaces. Without a terminal, shows nothing. */
  progress(text: string): void;
  styled(style: Style, text: string): string;
}

export function createTerminal(env: NodeJS.ProcessEnv = process.env): Terminal {
  const isInteractive = process.stdout.isTTY && env['TERM'] !== 'dumb';
  const hasColour = isInteractive && (env['NO_COLOR'] ?? '') === '';
  // A closed terminal must not end the process before it has stopped the programs that it started.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let hasProgress = false;
  const clear = (): void => {
    if (hasProgress) process.stdout.write('\r\u001B[K');
    hasProgress = false;
  };
  return {
    isInteractive,
    line: (text = '') => {
      clear();
      process.stdout.write(`${text}\n`);
    },
    warn: (text) => {
      clear();
      process.stderr.write(`${text}\n`);
    },
    progress: (text) => {
      if (!isInteractive) return;
      clear();
      process.stdout.write(text);
      hasProgress = true;
    },
    styled: (style, text) => (hasColour ? styleText(style, text) : text),
  };
}

/** Local time, such as `12:03:01.250`. */
export function clock(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Returns the path as a person would write it here: relative if it is inside the current folder. */
export function shownPath(file: string): string {
  const inside = path.relative(process.cwd(), file);
  return inside === '' || inside.startsWith('..') ? file : inside;
}
