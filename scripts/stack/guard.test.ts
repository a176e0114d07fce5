import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { identify, isRunning, whenGone } from './processes.ts';

const sleeper = () => spawn('sleep', ['1000'], { stdio: 'ignore' });

/** A separate supervisor for the test to kill. It starts the guard and has it watch the pids. */
const SUPERVISOR = `
  import { startGuard } from './scripts/stack/guard.ts';
  const guard = startGuard();
  guard.watch(JSON.parse(process.argv[1]));
  if (process.argv[2] === 'dismiss') guard.dismiss();
  setTimeout(() => console.log('watching'), 100);
  setInterval(() => {}, 1e6);
`;

async function startSupervisor(pids: { services: number[]; databases: number[] }, ...more: string[]) {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', SUPERVISOR, JSON.stringify(pids), ...more];
  const supervisor = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: supervisor.stdout }), 'line');
  return supervisor;
}

test('a database ends after its supervisor was killed and the services have ended', async () => {
  const [service, database] = [sleeper(), sleeper()];
  const supervisor = await startSupervisor({ services: [service.pid!], databases: [database.pid!] });
  const running = identify(database.pid!)!;
  supervisor.kill('SIGKILL');
  await once(supervisor, 'exit');
  expect(isRunning(database.pid!)).toBe(true);
  service.kill('SIGKILL');
  await expect(whenGone([running], 5000)).resolves.toEqual([]);
});

test('a dismissed guard touches nothing', async () => {
  const database = sleeper();
  const supervisor = await startSupervisor({ services: [], databases: [database.pid!] }, 'dismiss');
  const running = identify(database.pid!)!;
  supervisor.kill('SIGKILL');
  await once(supervisor, 'exit');
  await expect(whenGone([running], 700)).resolves.toEqual([running]);
  database.kill('SIGKILL');
});
