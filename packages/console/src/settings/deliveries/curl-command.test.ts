import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startReceiver, unlessMissing } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { CURL_BODY_CHARS_MAX, curlCommand } from './curl-command.ts';

const run = promisify(execFile);

unlessMissing(describe, 'curl')('a request as a curl command', () => {
  let receiver: FakeReceiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  it.each([
    ['{"reason":"it\'s $HOME `id` \\\\ \\" !"}', '/hook?a[]=1&b={x}&c=%27'],
    ['@/etc/hostname', "/it's"],
    ['[{"name":"Zoë 🙂"},\n{}]', '/'],
  ])('sends what Mailhook sent, whatever a shell may make of it: %j', async (body, path) => {
    const headers = { 'content-type': 'application/json;charset=UTF-8', 'x-note': `'; exit 1; "$(id)" # \\` };
    await run('sh', ['-c', `${curlCommand({ address: receiver.url + path, headers, body })} --silent --fail`]);
    const sent = receiver.requests.at(-1);
    expect(sent).toMatchObject({ method: 'POST', path, text: body });
    expect(sent?.headers).toMatchObject(headers);
  });

  it('reads a long body from a file', () => {
    const command = curlCommand({ address: 'http://x', headers: {}, body: 'x'.repeat(CURL_BODY_CHARS_MAX + 1) });
    expect(command).toMatch(/--data-binary @body\.json$/);
  });
});
