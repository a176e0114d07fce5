import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, missingTool, pythonPackages, startReceiver, unlessImpossible } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../services/api/src/api-rig.suite.ts';

/** The tests make clients from the API's document, as users do, and run the programs of examples/clients with them. */
const FOLDER = 'examples/clients';
const DOCUMENT = 'docs/openapi.json';

const run = promisify(execFile);
const isInstalled = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const isNewPython = isInstalled('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))');
const testInPython = unlessImpossible(test, missingTool('pip') ?? (isNewPython ? undefined : 'this needs Python 3.11'));

/** A folder with a client of the document, in a folder of its own for each version of the generator. */
const clientBy = (generator: string, pinnedIn: string, generate: (folder: string) => Promise<unknown>) =>
  cachedFolder(generator, [readFileSync(DOCUMENT), readFileSync(pinnedIn)], generate);

async function typescript() {
  const pinnedIn = 'node_modules/openapi-typescript/package.json';
  const folder = await clientBy('openapi-typescript', pinnedIn, (work) =>
    run(process.execPath, ['node_modules/openapi-typescript/bin/cli.js', DOCUMENT, '-o', `${work}/mailhook.ts`]),
  );
  const program = path.join(folder, 'calls.ts');
  copyFileSync(`${FOLDER}/calls.ts`, program);
  return { folder, program };
}

async function openapiPythonClient() {
  const requirements = `${FOLDER}/requirements.txt`;
  const packages = await pythonPackages(requirements);
  const folder = await clientBy('openapi-python-client', requirements, async (work) => {
    const config = `${work}/config.json`;
    // By default it formats the client, which takes most of its time.
    writeFileSync(config, JSON.stringify({ post_hooks: [] }));
    const options = ['--path', DOCUMENT, '--meta', 'none', '--output-path', `${work}/mailhook_client`];
    await run('python3', ['-B', '-m', 'openapi_python_client', 'generate', '--config', config, ...options], {
      env: { ...process.env, PYTHONPATH: packages },
    });
  });
  return { folder, env: { PYTHONPATH: `${packages}:${folder}` } };
}

async function openapiGenerator() {
  const requirements = `${FOLDER}/requirements-generator.txt`;
  const packages = await pythonPackages(requirements);
  const jar = `${packages}/openapi_generator_cli/openapi-generator.jar`;
  const folder = await clientBy('openapi-generator', requirements, (work) =>
    run('java', ['-jar', jar, 'generate', '-i', DOCUMENT, '-g', 'python', '-o', work]),
  );
  return { PYTHONPATH: `${packages}:${folder}` };
}

/** Fetching the packages of a generator takes long on a machine that never did. */
const WITHIN_MS = 180_000;

describe('clients that generators make from the document', () => {
  let api: ApiRig;
  let receiver: FakeReceiver;
  beforeAll(async () => {
    [api, receiver] = await Promise.all([startApi(), startReceiver()]);
  });
  afterAll(() => Promise.all([api.close(), receiver.close()]));

  /** Runs a program, and expects each of its calls to return what it should. */
  async function expectCalls(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const { token } = await api.newAccount();
    const address = `${receiver.url}/hook`;
    const env = { ...process.env, ...more, MAILHOOK_URL: api.baseUrl, ACCESS_TOKEN: token, ADDRESS: address };
    const { stdout } = await run(command, args, { env });
    const lines = stdout.trim().split('\n');
    const { id } = JSON.parse(lines[0] ?? '') as { id: string };
    const subscription = { id, address, active: true, type: 'click', module: 'transactional_email' };
    const done = { success: true };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { id },
      [subscription],
      done,
      { ...subscription, active: false },
      done,
      done,
      { address, active: true },
      done,
      { success: false, message: expect.stringMatching(/./) as string },
      true,
    ]);
  }

  test(
    'openapi-typescript: the types fit the calls of the specification, which work',
    async () => {
      const { folder, program } = await typescript();
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
      const modules = ['--ignoreConfig', '--module', 'nodenext', '--skipLibCheck', '--types', 'node'];
      const tsc = path.resolve('node_modules/@typescript/native/bin/tsc');
      const compiled = run(process.execPath, [tsc, ...options, ...modules, program]);
      // The compiler writes its errors to stdout.
      expect((await compiled.catch((error: unknown) => error as { readonly stdout: string })).stdout).toBe('');
      await expectCalls(process.execPath, ['--import', 'tsx', path.join(folder, 'calls.ts')]);
    },
    WITHIN_MS,
  );

  testInPython(
    'openapi-python-client: has every operation, and the calls of the specification work',
    async () => {
      const { folder, env } = await openapiPythonClient();
      const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
        paths: Record<string, Record<string, unknown>>;
      };
      const ids = Object.values(paths).flatMap((item) =>
        Object.values(item).map((one) => (one as { readonly operationId: string }).operationId),
      );
      const files = readdirSync(`${folder}/mailhook_client/api`, { recursive: true, encoding: 'utf8' });
      const generated = files.filter((file) => file.endsWith('.py')).map((file) => path.basename(file, '.py'));
      const wanted = ids.map((id) => id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
      expect(wanted.filter((name) => !generated.includes(name))).toEqual([]);
      await expectCalls('python3', ['-B', `${FOLDER}/calls.py`], env);
    },
    WITHIN_MS,
  );

  // Java is too large to be installed for one test, so this test exists only where it is (see examples/README.md), and
  // only in the nightly run.
  if (process.env['FAULTS'] === 'long' && isInstalled('java', '-version'))
    testInPython(
      'openapi-generator: the calls of the specification work',
      async () => expectCalls('python3', ['-B', `${FOLDER}/openapi_generator.py`], await openapiGenerator()),
      WITHIN_MS,
    );
});
