import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { createTerminal } from '../scripts/terminal.ts';
import type { Terminal } from '../scripts/terminal.ts';
import { messageOf } from '../scripts/user-error.ts';
import { figures } from './figures/all.ts';
import { build, commit } from './lab/build.ts';
import type { Lab } from './lab/lab.ts';
import { openLab } from './lab/lab.ts';
import type { BenchOptions } from './options.ts';
import { benchCommand, commandOf, withDefaults } from './options.ts';
import type { Figure } from './report/figure.ts';
import type { Head, Measured } from './report/page.ts';
import { readReport, writePage } from './report/page.ts';
import { barsRows, columns, holds, runsRows } from './report/table.ts';

export const command = benchCommand().action((flags) => bench(withDefaults(flags)));

async function bench(options: BenchOptions): Promise<void> {
  const terminal = createTerminal();
  if (options.list) {
    terminal.line(figures.map(({ name, title }) => `${name.padEnd(20)} ${title}`).join('\n'));
    return;
  }
  if (options.pageFrom.length > 0) {
    await writePage(await Promise.all(options.pageFrom.map(readReport)));
    return;
  }
  terminal.progress('building');
  build();
  terminal.line(
    `Mailhook bench · ${commit()} · ${new Date().toISOString()} · Node ${process.version} · ` +
      `${os.cpus().length} x ${os.cpus()[0]?.model ?? ''}`,
  );
  const head = headOf(options);
  const measured: Measured[] = [];
  for (const figure of figures) {
    if (options.only.length > 0 ? !options.only.includes(figure.name) : figure.isOnDemand === true) continue;
    measured.push(await measure(figure, options, terminal));
    if (options.json !== undefined) await writeJson(options.json, head, measured);
  }
  if (options.page) await writePage([{ ...head, figures: measured }]);
  const bars = measured.flatMap(({ name, bars: some = [] }) => some.map((bar) => ({ ...bar, figure: name })));
  terminal.line();
  for (const line of columns(barsRows(bars))) terminal.line(line);
  if (measured.some(({ failure }) => failure !== undefined) || !bars.every(holds)) process.exitCode = 1;
}

/** On Ctrl-C, ends all processes and removes Redis's files. */
const labs = new Set<Lab>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.allSettled([...labs].map((lab) => lab.close())).then(() => process.exit(130));
  });
}

async function measure(figure: Figure, options: BenchOptions, terminal: Terminal): Promise<Measured> {
  terminal.line(`\n${terminal.styled('bold', figure.title)} (${figure.name})`);
  const startedMs = performance.now();
  try {
    const result = await figure.measure({
      isQuick: options.quick,
      rounds: options.rounds,
      openLab: async () => {
        const lab = await openLab({ profileDir: options.profile });
        labs.add(lab);
        return lab;
      },
      progress: (text) => terminal.progress(`${text} · ${Math.round((performance.now() - startedMs) / 1000)} s`),
    });
    for (const line of columns(runsRows(result))) terminal.line(`  ${line}`);
    for (const note of result.notes ?? []) terminal.line(`  ${note}`);
    return { ...figure, ...result };
  } catch (error) {
    terminal.warn(`  not measured: ${messageOf(error)}`);
    return { ...figure, failure: messageOf(error) };
  }
}

function headOf(options: BenchOptions): Head {
  const cpu = os.cpus()[0]?.model ?? '';
  const command = commandOf(options);
  const machine = { cpus: os.cpus().length, cpu, memoryBytes: os.totalmem(), node: process.version };
  return { commit: commit(), command, at: new Date().toISOString(), machine };
}

async function writeJson(file: string, head: Head, measured: readonly Measured[]): Promise<void> {
  await writeFile(file, `${JSON.stringify({ ...head, figures: measured }, undefined, 1)}\n`);
}
