import { z } from 'zod';
import { misspeltVariables } from './misspelt.ts';
import type { MisspeltVariable } from './misspelt.ts';
import type { VariableMeta } from './variable-types.ts';

/** The environment is not usable. `message` lists every bad, missing or misspelt variable, one per line. The process exits with 78. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's environment. An empty variable counts as absent. An unknown one is ignored, unless it looks like one of Mailhook's
 * (`misspeltVariables`), because a setting without effect is worse than a process that does not start.
 *
 * @throws ConfigError that names every bad variable, its value (unless it is secret), the fault and the fix.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(Object.keys(shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const result = z.object(shape).safeParse(given);
  const misspelt = misspeltVariables(env);
  if (result.success && misspelt.length === 0) return result.data;
  const faults = Object.keys(shape).flatMap((name) => {
    const issue = result.error?.issues.find((one) => one.path[0] === name);
    return issue === undefined ? [] : [faultLine(name, metaOf(shape[name]), given[name], issue.message)];
  });
  const lines = [...faults, ...misspelt.map(misspeltLine)].map((line) => `  - ${line}`);
  throw new ConfigError(
    `${lines.length === 1 ? 'One environment variable is' : `${lines.length} environment variables are`} not usable:\n${lines.join('\n')}`,
  );
}

/** One row of the generated table of variables. */
export interface VariableDescription {
  readonly name: string;
  /** The default as a user would write it, or undefined if there is none. */
  readonly default: string | undefined;
  readonly description: string;
  readonly required: boolean;
}

/** The variables of a shape, in its order, for the generated documentation. */
export function describeEnvironment(shape: z.ZodRawShape): VariableDescription[] {
  return Object.entries(shape).map(([name, schema]) => {
    const meta = metaOf(schema);
    const isRequired = meta.default === undefined && meta.optional !== true;
    return { name, default: meta.default, description: meta.description ?? '', required: isRequired };
  });
}

const metaOf = (schema: z.core.$ZodType | undefined): VariableMeta =>
  (schema === undefined ? undefined : z.globalRegistry.get(schema)) ?? {};

function faultLine(name: string, meta: VariableMeta, value: string | undefined, fault: string): string {
  if (value === undefined) return `${name} is missing: set it (${meta.description ?? 'required'})`;
  const shown = meta.secret === true ? '(value not shown)' : JSON.stringify(withoutPassword(value));
  const mend =
    meta.default === undefined ? '' : `; leave it out for the default${meta.default === '' ? '' : ` ${meta.default}`}`;
  return `${name} is ${shown}, but ${fault}${mend}`;
}

const misspeltLine = ({ name, meant }: MisspeltVariable): string =>
  `${name} is not a variable of Mailhook: ${meant === undefined ? 'correct its name, or remove it' : `is ${meant} meant?`}`;

/** Masks user and password (`redis://***@host`). Does not need a valid URL, because an invalid one may be the reported fault. */
const withoutPassword = (value: string): string =>
  value.replace(/^([^:@/]*:\/\/)?[^@/]*@/, '$1***@').replace(/(password=)[^&]*/gi, '$1***');
