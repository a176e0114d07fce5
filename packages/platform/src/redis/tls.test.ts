import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleProgram, freePort, startRedis, unlessMissing } from '@mailhook/testing';
import type { TestRedis } from '@mailhook/testing';

const run = promisify(execFile);
/** A program that connects as a service does, and prints the reply to a ping or the error. */
const PROGRAM = `
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
const redis = connectRedis({ url: process.argv[2], role: 'worker', name: 'test', onError: () => undefined });
try {
  await whenReady(redis, 3000);
  console.log(await redis.ping());
} catch (error) {
  console.log(error.message);
}
await closeRedis(redis);`;

unlessMissing(describe, 'openssl')('a Redis with TLS and a certificate of a private authority', () => {
  let folder: string;
  let server: TestRedis;
  let port: number;
  let program: string;
  const file = (name: string): string => path.join(folder, name);

  /** Makes `<name>.crt` and `<name>.key`, signed by the authority `by` or by itself. */
  async function makeCertificate(name: string, by?: string): Promise<void> {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file(`${name}.key`)];
    const common = ['req', '-x509', ...key, '-out', file(`${name}.crt`), '-subj', `/CN=${name}`, '-days', '1'];
    const signed = ['-CA', file(`${by}.crt`), '-CAkey', file(`${by}.key`), '-addext', 'subjectAltName=IP:127.0.0.1'];
    await run('openssl', [...common, ...(by === undefined ? [] : signed)]);
  }

  const connect = async (authority: string | undefined, host = '127.0.0.1'): Promise<string> => {
    const env = authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: file(authority) };
    const { stdout } = await run(process.execPath, [program, `rediss://${host}:${port}`], { env });
    return stdout.trim();
  };

  beforeAll(async () => {
    program = await bundleProgram(PROGRAM);
    folder = await mkdtemp(path.join(tmpdir(), 'mailhook-tls-'));
    await makeCertificate('authority');
    await makeCertificate('other');
    await makeCertificate('redis', 'authority');
    port = await freePort();
    const tls = ['--tls-port', String(port), '--tls-cert-file', file('redis.crt'), '--tls-key-file', file('redis.key')];
    server = await startRedis({
      args: [...tls, '--tls-ca-cert-file', file('authority.crt'), '--tls-auth-clients', 'no'],
    });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('is used if NODE_EXTRA_CA_CERTS names the authority', async () => {
    expect(await connect('authority.crt')).toBe('PONG');
  });

  test.each([
    ['another authority', 'other.crt'],
    ['no authority', undefined],
  ])('is refused with %s, and the error names the cause and the fix', async (_, authority) => {
    expect(await connect(authority)).toMatch(
      /^Redis at 127\.0\.0\.1:\d+ did not answer within 3000 ms \(.*certificate.*\); name the file of its certificate authority in NODE_EXTRA_CA_CERTS/,
    );
  });

  test('is refused under a name that its certificate does not have', async () => {
    expect(await connect('authority.crt', 'localhost')).toMatch(/altnames.*in REDIS_URL a host of its certificate$/);
  });

  test('an error says so if the file is no certificate', async () => {
    await writeFile(file('broken.crt'), 'no certificate');
    expect(await connect('broken.crt')).toContain('NODE_EXTRA_CA_CERTS');
  });
});
