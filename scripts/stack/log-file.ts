import { createWriteStream, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** A longer log is renamed to `.1`, which replaces the earlier `.1`. */
const LOG_MAX_BYTES = 50 * 1024 * 1024;

export interface LogFile {
  readonly path: string;
  write(line: string): void;
  close(): void;
}

export function openLogFile(folder: string, name: string): LogFile {
  const file = path.join(folder, `${name}.log`);
  const open = () => createWriteStream(file, { flags: 'a', mode: 0o600 }).on('error', () => undefined);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let stream = open();
  return {
    path: file,
    write: (line) => {
      if (bytes > LOG_MAX_BYTES) {
        stream.end();
        renameSync(file, `${file}.1`);
        stream = open();
        bytes = 0;
      }
      bytes += Buffer.byteLength(line) + 1;
      stream.write(`${line}\n`);
    },
    close: () => stream.end(),
  };
}
