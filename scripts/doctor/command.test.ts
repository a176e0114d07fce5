import { execFile } from 'node:child_process';
import type { ReceiverReport } from '@mailhook/core';
import { bundleProgram, goodReply, startReceiver } from '@mailhook/testing';
import { command } from './main.ts';

let program: string;
beforeAll(async () => {
  program = await bundleProgram("import './scripts/mailhook-tools.ts';");
});

/** Runs `mailhook doctor ...` without npm. */
function doctor(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, 'doctor', ...args],
      { timeout: 25_000 },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test('exits with 0 when nothing failed, and --json prints only the report', async () => {
  const receiver = await startReceiver();
  const { code, stdout } = await doctor(receiver.url, '--json');
  await receiver.close();
  expect(code).toBe(0);
  expect(JSON.parse(stdout) as ReceiverReport).toMatchObject({ address: receiver.url, kind: 'campaign', failed: 0 });
});

test('exits with 1 and names the fix when something failed', async () => {
  const receiver = await startReceiver({ reply: (request) => ({ ...goodReply(request), status: 202 }) });
  const { code, stdout } = await doctor(receiver.url);
  await receiver.close();
  expect(code).toBe(1);
  expect(stdout).toContain('Fix: Answer exactly 200.');
});

test.each([
  [[], "missing required argument 'url'"],
  [['example.com'], 'http:// or https://'],
  [['http://127.0.0.1/', '--secret', 'abc'], '--secret must be'],
])('the command line %j is refused', async (args, message) => {
  const quiet = command.exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(quiet.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
});
