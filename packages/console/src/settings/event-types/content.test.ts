import { EVENT_TYPES, isVersion1, namesOf, version2Event } from '@mailhook/core';
import type { EventModule } from '@mailhook/core';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

const unescaped = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'");

describe('the catalog of event types', () => {
  const rig = settingsPageRig();

  const sections = async (): Promise<ReadonlyMap<string, string>> => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const { text } = await browser.get(`${PAGE}/event-types`);
    const parts = text.split('<section id="type-').slice(1);
    return new Map(parts.map((part) => [part.slice(0, part.indexOf('"')), part.slice(0, part.indexOf('</section>'))]));
  };
  const bodiesIn = (section = ''): Record<string, unknown>[] =>
    [...section.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(
      ([, code = '']) => JSON.parse(unescaped(code.replaceAll(/<[^>]*>/g, ''))) as Record<string, unknown>,
    );

  it('has each type of the table with its meaning, its own fields, and the bodies of both versions', async () => {
    const all = await sections();
    expect([...all.keys()]).toEqual(namesOf(EVENT_TYPES));
    for (const name of namesOf(EVENT_TYPES)) {
      const { meaning, fields, required, requiredInTransactional = [], modules }: Row = EVENT_TYPES[name];
      const text = textOf(all.get(name) ?? '');
      expect(text).toContain(meaning);
      for (const [field, { description }] of Object.entries(fields)) {
        const inMessages = requiredInTransactional.includes(field) ? ' required for transactional messages' : '';
        const need = required.includes(field) ? ' required' : inMessages;
        expect(text).toContain(`${field}${need} ${description}`);
      }
      const bodies = bodiesIn(all.get(name));
      const version2 = bodies.filter(({ version }) => version === 2).map((body) => version2Event.parse(body));
      expect(version2.map(({ module, event }) => [module, event])).toEqual(modules.map((module) => [module, name]));
      const ofSpecification = modules.filter((module) => isVersion1(module, name));
      expect(bodies).toHaveLength(version2.length + ofSpecification.length);
    }
  });

  it('names the endpoints of the account that get a type, those that are off and those with a filter too', async () => {
    const call = rig.api.as(rig.mine.token);
    const create = async (name: string, more: object): Promise<string> => {
      const body = { address: 'https://example.com/', module: 'transactional_email', name, types: ['bounce'], ...more };
      return ((await call('post', '/v3/webhook/destinations', body)).body as { id: string }).id;
    };
    const id = await create('CRM', {});
    await create('Everything', { types: ['*'], active: false });
    await create('VIP', { types: ['bounce', 'complaint'], filter: { tags: ['vip'] } });
    const all = await sections();
    const bounce = textOf(all.get('bounce') ?? '');
    expect(bounce).toContain('CRM , Everything (off) and VIP (with a filter)');
    expect(all.get('bounce')).toContain(`href="${PAGE}/endpoints/${id}"`);
    expect(textOf(all.get('sent') ?? '')).toContain('Everything (off)');
    expect(textOf(all.get('sent') ?? '')).not.toContain('CRM');
  });
});

interface Row {
  readonly meaning: string;
  readonly modules: readonly EventModule[];
  readonly fields: Readonly<Record<string, { readonly description?: string | undefined }>>;
  readonly required: readonly string[];
  readonly requiredInTransactional?: readonly string[];
}
