import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { misspeltVariables } from './misspelt.ts';
import type { MisspeltVariable } from './misspelt.ts';
import { fileVariable } from './known-variables.ts';
import type { VariableMeta } from './variable-types.ts';

/**
 * The environment is not usable. `message` lists every bad, missing or misspelt variable, one per line. The process
 * exits with 78.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a service's environment. An empty variable counts as absent. An unknown one is ignored, unless it looks like
 * one of Mailhook's (`misspeltVariables`), because a setting without effect is worse than a process that does not
 * start. A variable with the metadata `fromFile` may come from the file that `<name>_FILE` names, as Docker and
 * Kubernetes mount secrets. A rule returns the fault of several values together, of which those with another fault are
 * undefined.
 *
 * @throws ConfigError that names every bad variable, its file or value (unless it is secret), the fault and the fix.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: NodeJS.ProcessEnv,
  rules: readonly ((values: NoInfer<Partial<z.output<z.ZodObject<Shape>>>>) => string | undefined)[] = [],
): z.output<z.ZodObject<Shape>> {
  const faults: (string | undefined)[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const [meta, { value, file, fault }] = [metaOf(schema), sourceOf(name, metaOf(schema), env)];
    const { data, error } = z.safeParse(schema, value || undefined);
    if (fault !== undefined) faults.push(fault);
    else if (isQuoted(value)) faults.push(`${placeOf({ name, file })} is in quotation marks: remove them`);
    else if (error) faults.push(faultLine({ name, file }, meta, value || undefined, error.issues[0]?.message ?? ''));
    else values[name] = data;
  }
  const usable = values as z.output<z.ZodObject<Shape>>;
  faults.push(...rules.map((rule) => rule(usable)));
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') faults.push(UNVERIFIED);
  faults.push(...misspeltVariables(env).map(misspeltLine));
  const lines = faults.flatMap((line) => (line === undefined ? [] : [`  - ${line}`]));
  if (lines.length === 0) return usable;
  throw new ConfigError(
    `${lines.length === 1 ? 'One environment variable is' : `${lines.length} environment variables are`} not ` +
      `usable:\n${lines.join('\n')}`,
  );
}

const UNVERIFIED =
  'NODE_TLS_REJECT_UNAUTHORIZED is "0", which switches off the verification of all certificates: remove it, and name ' +
  'the certificate authority of your servers in NODE_EXTRA_CA_CERTS';

/** As `docker run --env-file` hands over what stands in quotation marks in the file. */
const isQuoted = (value = ''): boolean => /^(["']).*\1$/s.test(value.trim());

/** Where a value comes from. `fault` is a whole line of the error. */
interface Source {
  readonly value?: string | undefined;
  readonly file?: string;
  readonly fault?: string;
}

function sourceOf(name: string, meta: VariableMeta, env: NodeJS.ProcessEnv): Source {
  const [value, variable] = [env[name], fileVariable(name)];
  const file = meta.fromFile === true ? env[variable] : undefined;
  if (!file) return { value };
  if (value) return { fault: `${name} and ${variable} are both set: remove one of them` };
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (content.trim() !== '') return { file, value: content };
    return { fault: `${variable} is ${JSON.stringify(file)}, but this file is empty: write the value into it` };
  } catch (error) {
    const why = String(Reflect.get(Object(error), 'code'));
    return {
      fault:
        `${variable} is ${JSON.stringify(file)}, but this file cannot be read (${why}): correct the path or its ` +
        'permissions',
    };
  }
}

/** One row of the generated table of variables. */
export interface VariableDescription {
  readonly name: string;
  /** The default as a user would write it, or undefined if there is none. */
  readonly default: string | undefined;
  readonly description: string;
  readonly required: boolean;
  readonly fromFile: boolean;
}

/** The variables of a shape, in its order, for the generated documentation. */
export function describeEnvironment(shape: z.ZodRawShape): VariableDescription[] {
  return Object.entries(shape).map(([name, schema]) => {
    const meta = metaOf(schema);
    const isRequired = meta.default === undefined && meta.optional !== true;
    return {
      name,
      default: meta.default,
      description: meta.description ?? '',
      required: isRequired,
      fromFile: meta.fromFile === true,
    };
  });
}

const metaOf = (schema: z.core.$ZodType | undefined): VariableMeta =>
  (schema === undefined ? undefined : z.globalRegistry.get(schema)) ?? {};

interface Named {
  readonly name: string;
  readonly file: string | undefined;
}

const placeOf = ({ name, file }: Named): string =>
  file === undefined ? name : `${name} in the file ${JSON.stringify(file)}`;

function faultLine({ name, file }: Named, meta: VariableMeta, value: string | undefined, fault: string): string {
  if (value === undefined) return `${name} is missing: set it (${meta.description ?? 'required'})`;
  const shown = meta.secret === true ? '(value not shown)' : JSON.stringify(withoutPassword(value));
  const fix =
    meta.default === undefined ? '' : `; leave it out for the default${meta.default === '' ? '' : ` ${meta.default}`}`;
  return `${placeOf({ name, file })} is ${shown}, but ${fault}${fix}`;
}

const misspeltLine = ({ name, meant }: MisspeltVariable): string =>
  `${name} is not a variable of Mailhook: ` +
  (meant === undefined ? 'correct its name, or remove it' : `is ${meant} meant?`);

/**
 * Masks user and password (`redis://***@host`). Does not need a valid URL, because an invalid one may be the reported
 * fault, for example because of a slash in the password.
 */
const withoutPassword = (value: string): string =>
  value.replace(/^([^:@/]*:\/\/)?.*@/s, '$1***@').replace(/(password=)[^&]*/gi, '$1***');
