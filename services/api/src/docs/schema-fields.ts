import { html, type Html } from './html.ts';
import { renderInline } from './markdown.ts';
import type { Schema } from './openapi-types.ts';

export type Schemas = Readonly<Record<string, Schema>>;

/** Deeper than any body here; a schema that contains itself ends. */
const DEPTH_MAX = 8;
const VALUES_SHOWN = 30;

/** The fields of a schema as a list: an object's properties, or those of each alternative, opened one by one. */
export function schemaFields(schema: Schema, schemas: Schemas, depth = 0): Html | undefined {
  const known = resolve(schema, schemas);
  if (depth > DEPTH_MAX) return undefined;
  const alternatives = listAlternatives(known, schemas);
  if (alternatives.length > 1)
    return html`<div class="alternatives">
      ${alternatives.map((alternative) => renderAlternative(alternative, schemas, depth))}
    </div>`;
  const [only = known] = alternatives;
  const object = resolve(only.items ?? only, schemas);
  if (object !== only) return schemaFields(object, schemas, depth + 1);
  const { properties = {}, required = [] } = object;
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  return html`<ul class="fields">
    ${Object.entries(properties).map(([name, field]) =>
      renderField(name, field, { schemas, depth, isRequired: required.includes(name) }),
    )}
  </ul>`;
}

type Place = { readonly schemas: Schemas; readonly depth: number; readonly isRequired: boolean };

function renderField(name: string, schema: Schema, { schemas, depth, isRequired }: Place): Html {
  const known = resolve(schema, schemas);
  const inside = schemaFields(schema, schemas, depth + 1);
  return html`<li>
    <code class="name">${name}</code> <span class="type">${describeType(schema, schemas)}</span>
    ${isRequired ? html`<span class="required">required</span>` : undefined}
    ${renderDescription(schema.description ?? known.description)} ${renderBounds(known)}
    ${
      inside === undefined
        ? undefined
        : html`<details>
            <summary>Fields of <code>${name}</code></summary>
            ${inside}
          </details>`
    }
  </li>`;
}

function renderAlternative(schema: Schema, schemas: Schemas, depth: number): Html {
  const known = resolve(schema, schemas);
  const inside = schemaFields(known, schemas, depth + 1);
  const name = tellingField(known) ?? known.title ?? describeType(known, schemas);
  return inside === undefined
    ? html`<p class="type">${name}</p>`
    : html`<details>
        <summary>${name}</summary>
        ${renderDescription(known.description)}${inside}
      </details>`;
}

/** What tells an alternative from the others: `channel: "SMS"`, where a field has one value alone. */
function tellingField({ properties = {} }: Schema): string | undefined {
  const found = Object.entries(properties).find(([, field]) => field.const !== undefined);
  return found && `${found[0]}: ${JSON.stringify(found[1].const)}`;
}

/** The alternatives of a schema but null, which the type says. */
function listAlternatives({ oneOf, anyOf }: Schema, schemas: Schemas): readonly Schema[] {
  return (oneOf ?? anyOf ?? []).filter((one) => resolve(one, schemas).type !== 'null');
}

/** The type in words, as `array of string or null`. */
export function describeType(schema: Schema, schemas: Schemas): string {
  const known = resolve(schema, schemas);
  const { type, items, oneOf, anyOf } = known;
  const types = Array.isArray(type)
    ? (type as readonly string[])
    : type === undefined
      ? []
      : [type as string];
  if (types.includes('array'))
    return nullable(
      `array of ${items === undefined ? 'any' : describeType(items, schemas)}`,
      types,
    );
  const alternatives = listAlternatives(known, schemas);
  if (alternatives.length > 0) {
    const names = alternatives.map((one) => describeType(one, schemas));
    const hasNull = (oneOf ?? anyOf ?? []).length > alternatives.length;
    return [...new Set(names), ...(hasNull ? ['null'] : [])].join(' or ');
  }
  if (known.const !== undefined) return JSON.stringify(known.const);
  return types.length === 0 ? (known.title ?? 'any') : types.join(' or ');
}

const nullable = (text: string, types: readonly string[]): string =>
  types.includes('null') ? `${text} or null` : text;

function renderDescription(description: string | undefined): Html | undefined {
  return description === undefined
    ? undefined
    : html`<span class="description">${renderInline(description)}</span>`;
}

/** Bounds, the default and closed lists, in words. */
export function renderBounds(schema: Schema): Html | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: usual } = schema;
  const values = schema.enum ?? schema.items?.enum;
  const parts = [
    describeRange(minimum, maximum, ''),
    describeRange(minLength, maxLength, ' characters'),
    describeRange(minItems, maxItems, ' items'),
    usual === undefined ? undefined : `default ${JSON.stringify(usual)}`,
  ].filter((part) => part !== undefined);
  const listed =
    values === undefined
      ? undefined
      : html`<span class="bounds"
          >one of
          ${values.slice(0, VALUES_SHOWN).map((value) => html`<code>${String(value)}</code> `)}${values.length > VALUES_SHOWN ? `and ${values.length - VALUES_SHOWN} more` : undefined}</span
        >`;
  const bounds =
    parts.length === 0 ? undefined : html`<span class="bounds">${parts.join(', ')}</span>`;
  return html`${bounds} ${listed}`;
}

function describeRange(
  from: number | undefined,
  to: number | undefined,
  unit: string,
): string | undefined {
  const text = (value: number): string => value.toLocaleString('en-GB');
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined) return `at most ${text(to ?? 0)}${unit}`;
  if (to === undefined || to >= Number.MAX_SAFE_INTEGER) return `at least ${text(from)}${unit}`;
  return `${text(from)} to ${text(to)}${unit}`;
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? schema);
}
