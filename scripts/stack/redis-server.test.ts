import { redisInstaller } from './redis-server.ts';

const has =
  (...commands: string[]) =>
  (command: string): boolean =>
    commands.includes(command);

test('only root runs apt-get', () => {
  expect(redisInstaller(has('apt-get'), true)).toMatchObject({
    mayRun: true,
    shown: expect.not.stringContaining('sudo') as string,
  });
  expect(redisInstaller(has('apt-get'), false)).toMatchObject({
    mayRun: false,
    shown: 'sudo apt-get update && sudo apt-get install -y --no-install-recommends redis-server',
  });
});

test('root does not run brew', () => {
  expect(redisInstaller(has('brew'), false)).toMatchObject({ mayRun: true, shown: 'brew install redis' });
  expect(redisInstaller(has('brew'), true)).toMatchObject({ mayRun: false });
});

test('on other systems there is no known installer', () => {
  expect(redisInstaller(has('dnf'), true)).toBeUndefined();
});
