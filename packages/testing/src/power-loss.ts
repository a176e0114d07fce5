import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterPowerLoss } from './after-power-loss.ts';
import type { PowerLoss, PowerLossOptions } from './after-power-loss.ts';
import { eventually } from './eventually.ts';
import { cannotPreload, compiledLibrary } from './preload.ts';
import type { Preload } from './preload.ts';

/** The disk of a Redis server whose machine can lose power. */
export interface RecordedDisk extends Preload {
  /** No sync ends until the power is lost. Resolves when a sync of the server waits. */
  stall(): Promise<void>;
  /** Call it when the server has ended: leaves in the folder what the disk would hold. */
  losePower(options: PowerLossOptions): PowerLoss;
  /** Repairs an append-only file that Redis refuses, with Redis's own tool. */
  repair(): void;
  remove(): void;
}

/** Why no machine can lose power here. Undefined if one can. For `unlessImpossible`. */
export const cannotLosePower = (): string | undefined => cannotPreload('power can be lost');

/** Records what a server does to the files of a folder from now on. What it holds now is durable. */
export function recordedDisk(folder: string): RecordedDisk {
  const record = `${folder}-record`;
  const trace = path.join(record, 'trace');
  const begin = (): void => {
    rmSync(record, { recursive: true, force: true });
    mkdirSync(record);
    const lines = filesOf(folder).map((name) => {
      const file = path.join(folder, name);
      const { ino, size } = statSync(file);
      linkSync(file, path.join(record, String(ino)));
      return `held ${ino} ${size} ${name}\n`;
    });
    appendFileSync(trace, lines.join(''));
  };
  begin();
  return {
    library: compiledLibrary('power-loss'),
    env: { POWER_LOSS_DATA: folder, POWER_LOSS_RECORD: record },
    async stall() {
      writeFileSync(path.join(record, 'stall'), '');
      await eventually(() => readFileSync(trace, 'utf8').includes('\nstalled '), {
        withinMs: 10_000,
        what: 'a sync that waits for the disk',
      });
    },
    losePower(options) {
      const contentOf = (file: string): Buffer => readFileSync(path.join(record, file));
      const { files, lost } = afterPowerLoss(readFileSync(trace, 'utf8'), contentOf, options);
      for (const name of filesOf(folder)) rmSync(path.join(folder, name));
      for (const [name, content] of files) writeFileSync(path.join(folder, name), content);
      begin();
      return lost;
    },
    repair() {
      const manifest = path.join(folder, 'appendonlydir/appendonly.aof.manifest');
      execFileSync('redis-check-aof', ['--fix', manifest], { input: 'y\n' });
      begin();
    },
    remove: () => rmSync(record, { recursive: true, force: true }),
  };
}

/** The names of all files in a folder and its folders. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
