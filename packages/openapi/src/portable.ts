/**
 * The same schema in the words that code generators know: it takes the same values and refuses the same. A generator
 * knows named alternatives, one type (or null beside it) and objects whose fields it sees; the validators of the services
 * also know shorter ways to say it.
 */
export function portable(schema: object): Schema {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, portableInside(keyword, value)]),
  );
  return RULES.reduce<Schema>((found, rule) => rule(found), copy);
}

type Schema = { readonly [keyword: string]: unknown };

const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);
const SCHEMA_LIST_KEYWORDS: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf']);
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);

function portableInside(keyword: string, value: unknown): unknown {
  if (SCHEMA_LIST_KEYWORDS.has(keyword)) return (value as readonly object[]).map(portable);
  if (typeof value !== 'object' || value === null) return value;
  if (SCHEMA_KEYWORDS.has(keyword)) return portable(value);
  if (!SCHEMA_MAP_KEYWORDS.has(keyword)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, portable(field as object)]),
  );
}

/** What is common to alternatives that a field tells apart becomes a part of each: each is a schema by itself, with a name. */
function namedAlternatives(schema: Schema): Schema {
  const { discriminator, oneOf, required, properties, ...rest } = schema;
  if (discriminator === undefined) return schema;
  const { propertyName } = discriminator as { readonly propertyName: string };
  const alternatives = (oneOf as readonly Schema[]).map((alternative) => ({
    ...alternative,
    type: 'object',
    required: [...new Set([...namesIn(required), ...namesIn(alternative['required'])])],
    properties: { ...fieldsIn(properties), ...fieldsIn(alternative['properties']) },
  }));
  const mapping = alternatives.map(({ title, properties }: Schema) => [
    (fieldsIn(properties)[propertyName] as { readonly const: string }).const,
    `#/components/schemas/${String(title)}`,
  ]);
  return {
    ...rest,
    discriminator: { propertyName, mapping: Object.fromEntries(mapping) as unknown },
    oneOf: alternatives,
  };
}

/** "Exactly one of two", said of the fields of an object: a generator takes `oneOf` for two kinds of objects. */
function exactlyOneOf(schema: Schema): Schema {
  const { oneOf, ...rest } = schema;
  if (oneOf === undefined || rest['properties'] === undefined) return schema;
  const [first, second, ...more] = oneOf as readonly Schema[];
  if (first === undefined || second === undefined || more.length > 0)
    throw new Error('an object with other alternatives than two');
  // A literal with `then` would look like a promise.
  return { ...rest, if: first, ['then' as string]: { not: second }, else: second };
}

const STRING_KEYWORDS = ['minLength', 'maxLength', 'pattern', 'format'];

/** Several types besides null are an alternative for each. */
function splitTypes(schema: Schema): Schema {
  const { type, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return schema;
  const isOfText = ([keyword]: readonly [string, unknown]): boolean =>
    STRING_KEYWORDS.includes(keyword);
  const ofTexts = Object.fromEntries(Object.entries(rest).filter(isOfText));
  const ofAll = Object.fromEntries(Object.entries(rest).filter((entry) => !isOfText(entry)));
  return {
    ...ofAll,
    anyOf: type.map((one: unknown) =>
      allowAnyFields({ type: one, ...(one === 'string' ? ofTexts : {}) }),
    ),
  };
}

/** The type of a closed list's values, where the list alone is given. */
function inferType(schema: Schema): Schema {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values) || 'type' in schema) return schema;
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? types[0] : types, ...schema };
}

/** An object of which no field is named may have any; generators want to read it. */
function allowAnyFields(schema: Schema): Schema {
  const { type } = schema;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const isSaid = ['properties', 'additionalProperties', 'oneOf'].some((name) => name in schema);
  return !isObject || isSaid ? schema : { ...schema, additionalProperties: true };
}

/** A closed list and null beside it are two alternatives. */
function nullableEnum(schema: Schema): Schema {
  const { enum: values, type: _ofValues, ...rest } = schema;
  if (!Array.isArray(values) || !values.includes(null)) return schema;
  const others: readonly unknown[] = values.filter((value) => value !== null);
  return { ...rest, anyOf: [inferType({ enum: others }), { type: 'null' }] };
}

const RULES = [
  namedAlternatives,
  exactlyOneOf,
  splitTypes,
  nullableEnum,
  inferType,
  allowAnyFields,
];

const namesIn = (required: unknown): readonly string[] => (required ?? []) as readonly string[];
const fieldsIn = (properties: unknown): Schema => (properties ?? {}) as Schema;
