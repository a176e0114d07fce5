import { redisInstaller } from './redis-server.ts';

const has =
  (...commands: string[]) =>
  (command: string): boolean =>
    commands.includes(command);

test('apt-get is run by root only', () => {
  expect(redisInstaller(has('apt-get'), true)).toMatchObject({
    mayRun: true,
    shown: expect.not.stringContaining('sudo') as string,
  });
  expect(redisInstaller(has('apt-get'), false)).toMatchObject({
    mayRun: false,
    shown: 'sudo apt-get update && sudo apt-get install -y redis-server',
  });
});

test('brew is not run by root', () => {
  expect(redisInstaller(has('brew'), false)).toMatchObject({ mayRun: true, shown: 'brew install redis' });
  expect(redisInstaller(has('brew'), true)).toMatchObject({ mayRun: false });
});

test('another system has no way that we know', () => {
  expect(redisInstaller(has('dnf'), true)).toBeUndefined();
});
