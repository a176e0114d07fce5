import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { accountIdInput, campaignDestinationId } from '@mailhook/core';
import { storeKeys } from '../../services/api/src/store/redis/keys.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** The files under some folders of the packages and services, without tests. */
const sources = (extension: string): { file: string; text: string }[] =>
  ['packages', 'services'].flatMap((area) =>
    readdirSync(path.join(ROOT, area))
      .map((name) => path.join(area, name, 'src'))
      .flatMap((folder) =>
        readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith(extension) && !/\.(test|suite)\.ts$/.test(file))
          .map((file) => ({
            file: path.join(folder, file),
            text: readFileSync(path.join(ROOT, folder, file), 'utf8'),
          })),
      ),
  );

/**
 * Key templates with more than one value after the prefix. One of the values of each cannot hold the separator: `lane`,
 * `list`, `block`, `hour`, `stage`, `recipient`, the shard, and the names of mechanisms and queues.
 */
const SEVERAL_VALUES = [
  '${this.base}${lane}:${destination}',
  '${this.shared}attempts:${account}:${list}',
  '${this.shared}bodies:${account}:${hour}',
  '${this.shared}history:${account}:${block}',
  '${keyPrefix}:failing:${scan.shard}:${scan.kind}',
  '${this.#keys.queuePrefix}:${this.#keys.kind}-chunks:${jobId}',
  '${keys.queuePrefix}:${engineQueues(keys.kind).deadLetters}:${deadLetterJobId(id)}',
  '${prefix}:alerts:told:${destination}:${recipient}',
  '${prefix}:erased-from-log:${account}:${name}',
  '${prefix}:erasure:${id}:${stage}',
];

test('a key template joins one value to its prefix, or values of which only one may hold the separator', () => {
  const found = sources('.ts').flatMap(({ text }) =>
    [...text.matchAll(/`(\$\{(?:[\w.#]+\.)?(?:prefix|queuePrefix|keyPrefix|root|base|shared)\}[^`\n]*)`/g)]
      .map(([, template = '']) => template)
      .filter((template) => template.includes(':') && template.split('${').length > 3),
  );
  expect([...new Set(found)].sort()).toEqual([...SEVERAL_VALUES].sort());
});

test('a key in a Lua command joins one value to its prefix, or a lane and a destination', () => {
  const VALUE = String.raw`[A-Za-z_][\w.]*(?:\[[^\]]*\])*`;
  const joined = new RegExp(String.raw`\b[KP] \.\. '[^']*' \.\. ${VALUE}(?: \.\. [^,)\n]+)+`, 'g');
  const found = sources('.lua').flatMap(({ file, text }) =>
    [...text.matchAll(joined)].map(([key]) => `${file}: ${key}`),
  );
  expect(found).toEqual([]);
});

const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '.', '-', '_') });
const accountId = text.filter((one) => accountIdInput.safeParse(one).success);

test('different accounts give different keys of the store, and different campaign destinations', () => {
  const keys = storeKeys('mailhook');
  const builders = Object.entries(keys).filter(([, key]) => typeof key === 'function') as [
    string,
    (id: string) => string,
  ][];
  const fixed = Object.values(keys).filter((key) => typeof key === 'string');
  const found = new Map<string, string>(fixed.map((key) => [key, 'fixed']));
  expect(found.size).toBe(fixed.length);
  fc.assert(
    fc.property(accountId, fc.constantFrom(...builders), (account, [name, keyOf]) => {
      const named = JSON.stringify([name, account]);
      expect(found.get(keyOf(account)) ?? named).toBe(named);
      found.set(keyOf(account), named);
      expect(campaignDestinationId(account).slice('campaign-'.length)).toBe(account);
    }),
    { numRuns: 5000 },
  );
});
