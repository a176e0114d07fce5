import { aptInstaller, findCommand, install } from '../stack/redis-server.ts';
import { UserError } from '../user-error.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

const find = (): string | undefined => NAMES.map((name) => findCommand(name)).find((file) => file !== undefined);

/**
 * Returns the path of Chromium. Installs it if it is missing and this process has root.
 *
 * @throws UserError with the exact command to run.
 */
export async function ensureChromium(onInstall: (command: string) => void): Promise<string> {
  const found = find();
  if (found !== undefined) return found;
  if (findCommand('apt-get') === undefined) throw new UserError('there is no chromium on the PATH: install it');
  const installer = aptInstaller('chromium', process.getuid?.() === 0);
  if (!installer.mayRun) throw new UserError(`there is no chromium on the PATH: run \`${installer.shown}\``);
  onInstall(installer.shown);
  await install(installer, new AbortController().signal);
  const installed = find();
  if (installed === undefined) throw new UserError('chromium was installed, and is still not on the PATH');
  return installed;
}
