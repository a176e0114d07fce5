import { aptInstaller, findCommand, install } from '../stack/redis-server.ts';
import { UserError } from '../user-error.ts';

/** The shell without windows comes first: the browser tests take a third less time with it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the path of the first of these on the PATH. */
export const findChromium = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  NAMES.map((name) => findCommand(name, env)).find((file) => file !== undefined);

/**
 * Returns the path of Chromium. Installs its shell without windows if there is none and this process has root.
 *
 * @throws UserError with the exact command to run.
 */
export async function ensureChromium(onInstall: (command: string) => void): Promise<string> {
  const found = findChromium();
  if (found !== undefined) return found;
  if (findCommand('apt-get') === undefined) throw new UserError('there is no chromium on the PATH: install it');
  const installer = aptInstaller('chromium-headless-shell', process.getuid?.() === 0);
  if (!installer.mayRun) throw new UserError(`there is no chromium on the PATH: run \`${installer.shown}\``);
  onInstall(installer.shown);
  await install(installer, new AbortController().signal);
  const installed = findChromium();
  if (installed === undefined) throw new UserError('chromium was installed, and is still not on the PATH');
  return installed;
}
