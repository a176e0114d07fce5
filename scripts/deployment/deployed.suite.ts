import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeEnvironment, fileVariable } from '@mailhook/platform/config';
import { environment as api } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import type { Yaml } from './yaml.ts';
import { readYaml as parseYaml } from './yaml.ts';

export const ROOT = path.join(__dirname, '../..');
export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
export const textOf = (value: Yaml | undefined): string => (typeof value === 'string' ? value : '');
/** Reads the documents of a YAML file by its path in the repository. */
export const readYaml = (file: string): Yaml[] => parseYaml(read(file));

/** The variables of a file of `NAME=value` lines. */
export const readEnv = (file: string): Record<string, string> =>
  Object.fromEntries([...read(file).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** The environment variables that each service reads. */
export const SHAPES = { api, 'transactional-notifier': transactionalNotifier, 'campaign-batcher': campaignBatcher };
export const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'] as const;
export type Service = (typeof SERVICES)[number];

export const defaultOf = (service: Service, variable: string): string =>
  describeEnvironment(SHAPES[service]).find(({ name }) => name === variable)?.default ?? '';
/** The ports of a service, by their names in the manifests. */
export const portsOf = (service: Service): Record<string, string> => ({
  ...(service === 'api' ? { http: defaultOf(service, 'PORT') } : {}),
  operations: defaultOf(service, 'OPS_PORT'),
});
/** The variables that a service reads, and those that may name a file with a value. */
export const namesOf = (service: Service): string[] =>
  describeEnvironment(SHAPES[service]).flatMap(({ name, fromFile }) =>
    fromFile ? [name, fileVariable(name)] : [name],
  );
/** Those of `names` that the service does not read. */
export const strange = (names: Iterable<string>, service: Service): string[] =>
  [...names].filter((name) => !namesOf(service).includes(name));
