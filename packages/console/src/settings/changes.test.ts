import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '@mailhook/testing';
import { adminEndpoints } from '../../../../services/api/src/endpoints/admin/index.ts';
import { customerEndpoints } from '../../../../services/api/src/endpoints/customer/index.ts';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import { CATALOGS } from '../messages/texts.ts';

const CHANGES = `${PAGE}/changes`;

describe('settings page: who changed what', () => {
  const rig = settingsPageRig();

  it('shows the fields before and after, who did it and how, and filters by the address', async () => {
    const id = await rig.api.subscribe(rig.mine);
    const browser = await browserOf(rig.api, rig.mine.token);
    const address = 'http://127.0.0.1:9/<new>';
    await rig.api.as(rig.mine.token)('put', `/v3/webhook/destinations/${id}/settings`, { address });
    await browser.send({ do: 'create-secret' });
    const page = async (query = '') => textOf((await browser.get(`${CHANGES}${query}`)).text);
    await eventually(async () => (await page()).includes('Endpoint changed'), { what: 'the change' });
    const all = await page();
    expect(all).toMatch(/Address http:\/\/127.0.0.1:9\/hook → → http:\/\/127.0.0.1:9\/&lt;new&gt;|%3Cnew%3E/);
    await rig.api.as(rig.mine.token)('put', `/v3/webhook/destinations/${id}/settings`, { types: ['click', 'open'] });
    await eventually(async () => (await page()).includes('Types of events added click'), { what: 'the added type' });
    expect(all).toMatch(/Endpoint changed .*Token \S+ by the API \( ?127\.0\.0\.1/);
    expect(all).toMatch(/Signing secret created .* on these pages/);
    expect(all).toContain('An operator');
    expect(all).not.toContain('whsec_');
    const ofEndpoints = await page('?about=endpoints&by=customer');
    expect(ofEndpoints).toContain('Endpoint created');
    expect(ofEndpoints).not.toContain('Signing secret created');
    expect(await page('?by=operator')).not.toContain('Endpoint created');
    expect(await page('?about=alerts')).toContain('No changes');
  });

  it('has a text for every action that the audit log may name', () => {
    const folder = path.join(import.meta.dirname, '..');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const ofButtons = sources.flatMap((source) =>
      [
        ...source.matchAll(
          /\b(?:audit|action): '([^']+ [^']+|pause|resume|probe)'|\b(?:edit|save|switchTo)\('([^']+)'/g,
        ),
      ].flatMap(([, named, made]) => named ?? made ?? []),
    );
    const named = [...adminEndpoints, ...customerEndpoints].flatMap(({ audit }) => audit ?? []);
    const known = Object.keys(CATALOGS.en.actions);
    expect([...new Set([...named, ...ofButtons])].filter((action) => !known.includes(action))).toEqual([]);
    expect(known.filter((action) => ![...named, ...ofButtons].includes(action))).toEqual([]);
  });
});
