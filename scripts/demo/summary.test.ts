import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { settingsPageRig } from '../../services/api/src/settings-page-rig.suite.ts';
import { EVENT_TYPES } from '../send/events.ts';
import { ownCommands } from './summary.ts';

const run = promisify(execFile);

describe('the commands under "Yours"', () => {
  const rig = settingsPageRig();

  it('connect a receiver as they are written, each to the events that its last line sends', async () => {
    const commands = ownCommands(rig.api.baseUrl, rig.mine.token);
    for (const { curl } of commands) await run('sh', ['-c', curl.replace('curl', 'curl --fail --silent')]);
    const reply = await rig.api.as(rig.mine.token)('get', '/v3/webhook/destinations');
    expect(reply.body).toMatchObject({
      items: [
        { module: 'campaign', address: 'http://127.0.0.1:4000', active: true },
        { module: 'transactional_email', types: ['click'], active: true },
      ],
    });
    const sent = commands.map(({ send }) => send.replace('npx mailhook send --type ', ''));
    expect(sent).toEqual(['click', 'campaign-click']);
    for (const type of sent) expect(EVENT_TYPES).toContain(type);
  });
});
