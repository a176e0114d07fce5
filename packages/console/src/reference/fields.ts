import { html } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { renderInline } from '../guides/markdown.ts';
import type { OpenApi, Parameter, Schema } from './openapi.ts';
import { resolved } from './openapi.ts';

type Ref = Parameters<typeof resolved<Schema>>[1];

/** Objects within objects within objects are shown. The example shows the rest. */
const DEPTH_MAX = 3;

/** The fields of a body, with those of objects in it below them. */
export function fieldList(document: OpenApi, ref: Ref, depth = 0): Markup | undefined {
  const schema = resolved(document, ref);
  if (depth > DEPTH_MAX) return undefined;
  if (schema.type === 'array') return schema.items && fieldList(document, schema.items, depth);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants !== undefined) return variantList(document, variants, depth);
  if (schema.properties === undefined) return undefined;
  return html`<ul class="fields">
    ${Object.entries(schema.properties).map(([name, property]) => {
      const isRequired = schema.required?.includes(name) === true;
      return field(document, { name, ref: property, isRequired, depth });
    })}
  </ul>`;
}

export const parameterList = (document: OpenApi, parameters: readonly Parameter[]): Markup =>
  html`<ul class="fields">
    ${parameters.map(({ name, schema, description, required = false }) => {
      const ref = { ...schema, description: schema.description ?? description ?? '' };
      return field(document, { name, ref, isRequired: required, depth: 0 });
    })}
  </ul>`;

interface Field {
  readonly name: string;
  readonly ref: Ref;
  readonly isRequired: boolean;
  readonly depth: number;
}

function field(document: OpenApi, { name, ref, isRequired, depth }: Field): Markup {
  const schema = resolved(document, ref);
  const inner = fieldList(document, schema, depth + 1);
  return html`<li>
    <p>
      <code>${name}</code> <span class="muted">${typeText(document, schema)}</span>${
        isRequired && html` <strong>required</strong>`
      }
    </p>
    ${
      schema.description !== undefined && schema.description !== '' && html`<p>${renderInline(schema.description)}</p>`
    }${
      inner !== undefined &&
      html`<details open>
        <summary>Fields of <code>${name}</code></summary>
        ${inner}
      </details>`
    }
  </li>`;
}

/** Schemas that a body may have, by name. A list of a schema, beside the schema itself, says nothing new. */
function variantList(document: OpenApi, refs: readonly Ref[], depth: number): Markup | undefined {
  const named = refs.map((ref) => resolved(document, ref)).filter(({ title }) => title !== undefined);
  const [only] = named;
  if (only !== undefined && named.length === 1) return fieldList(document, only, depth);
  return named.length === 0
    ? undefined
    : html`${named.map(
        (schema) =>
          html`<details>
            <summary>${schema.title ?? ''}</summary>
            ${fieldList(document, schema, depth + 1)}
          </details>`,
      )}`;
}

function typeText(document: OpenApi, schema: Schema): string {
  const { type, const: only, default: fallback } = schema;
  const kind = only === undefined ? kindText(document, schema) : JSON.stringify(only);
  const parts = [kind, rangeText(schema), fallback !== undefined && `default ${JSON.stringify(fallback)}`];
  const known = parts.filter((part) => part !== false && part !== '');
  return known.length > 0 ? known.join(', ') : String(type ?? 'any value');
}

function kindText(document: OpenApi, { type, format, enum: values, items, oneOf, anyOf, title }: Schema): string {
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const variants = oneOf ?? anyOf;
  if (variants !== undefined)
    return variants.map((variant) => kindText(document, resolved(document, variant))).join(' | ');
  if (type === 'array')
    return items === undefined ? 'list' : `list of ${kindText(document, resolved(document, items))}`;
  if (type === 'object') return title ?? 'object';
  return [type ?? 'any value'].flat().join(' | ') + (format === undefined ? '' : ` (${format})`);
}

/** What a number or a length must be. JavaScript's largest safe number is no limit worth a word. */
function rangeText(schema: Schema): string {
  const { minimum, maximum = Infinity, minLength, maxLength, minItems, maxItems } = schema;
  const limits = [
    minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && `at least ${minimum}`,
    maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    minItems !== undefined && `at least ${minItems}`,
    maxItems !== undefined && `at most ${maxItems}`,
  ];
  return limits.filter((limit) => limit !== false).join(', ');
}
