/**
 * Rewrites a schema for code generators; it accepts and rejects the same values. Generators
 * understand named alternatives, a single type (or null beside it), and objects with visible
 * fields. The services' validators also accept shorter forms.
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

/**
 * Copies shared fields of a discriminated union into each alternative, so that each is complete and
 * has a name.
 */
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

/**
 * Rewrites "the alternative that a field names", `allOf` with an `if` for each, as `oneOf`:
 * generators skip `if`. Each alternative declares the field that names it.
 */
function chosenAlternatives(schema: Schema): Schema {
  const { allOf, properties, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const alternatives = (allOf as readonly Schema[]).map(({ then }) => then as Schema);
  const isShared = (name: string) =>
    alternatives.some((alternative) => !(name in fieldsIn(alternative['properties'])));
  if (Object.keys(fieldsIn(properties)).some(isShared))
    throw new Error('allOf inside an object needs alternatives that declare its fields');
  return { ...rest, oneOf: alternatives };
}

/** Rewrites if/then/else of two whole objects as `oneOf`, of which the second may be several itself. */
function eitherAlternative(schema: Schema): Schema {
  const { if: condition, ['then' as const]: one, else: other, ...rest } = schema;
  if (condition === undefined || !isObject(one) || !isObject(other)) return schema;
  const others = (other['oneOf'] as readonly Schema[] | undefined) ?? [other];
  return { ...rest, oneOf: [one, ...others] };
}

const isObject = (schema: unknown): schema is Schema =>
  (schema as Schema | undefined)?.['type'] === 'object';

/**
 * Rewrites "exactly one of two fields" with if/then/else. Generators would read `oneOf` as two
 * object types.
 */
function requireExactlyOne(schema: Schema): Schema {
  const { oneOf, ...rest } = schema;
  if (oneOf === undefined || rest['properties'] === undefined) return schema;
  const [first, second, ...more] = oneOf as readonly Schema[];
  if (first === undefined || second === undefined || more.length > 0)
    throw new Error('oneOf inside an object needs exactly two alternatives');
  // Computed key: an object literal with `then` would look like a promise.
  return { ...rest, if: first, ['then' as string]: { not: second }, else: second };
}

/** Keywords that say something of one type only. */
const TYPE_OF_KEYWORD: Readonly<Record<string, string>> = {
  minLength: 'string',
  maxLength: 'string',
  pattern: 'string',
  format: 'string',
  minProperties: 'object',
  maxProperties: 'object',
};

/** Several types besides null become one alternative each. */
function splitTypes(schema: Schema): Schema {
  const { type, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return schema;
  const keywordsOf = (one?: string): Schema =>
    Object.fromEntries(
      Object.entries(rest).filter(([keyword]) => TYPE_OF_KEYWORD[keyword] === one),
    );
  return {
    ...keywordsOf(),
    anyOf: (type as readonly string[]).map((one) =>
      allowAnyFields({ type: one, ...keywordsOf(one) }),
    ),
  };
}

/** Adds the type of an enum or const that has none. */
function inferType(schema: Schema): Schema {
  const values = 'const' in schema ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values) || 'type' in schema) return schema;
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? types[0] : types, ...schema };
}

/** Adds `additionalProperties: true` to objects without named fields; generators need it. */
function allowAnyFields(schema: Schema): Schema {
  const { type } = schema;
  const mayBeObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const isSaid = ['properties', 'additionalProperties', 'oneOf'].some((name) => name in schema);
  return !mayBeObject || isSaid ? schema : { ...schema, additionalProperties: true };
}

/** An enum with null becomes two alternatives. */
function nullableEnum(schema: Schema): Schema {
  const { enum: values, type: _ofValues, ...rest } = schema;
  if (!Array.isArray(values) || !values.includes(null)) return schema;
  const others: readonly unknown[] = values.filter((value) => value !== null);
  return { ...rest, anyOf: [inferType({ enum: others }), { type: 'null' }] };
}

const RULES = [
  namedAlternatives,
  chosenAlternatives,
  eitherAlternative,
  requireExactlyOne,
  splitTypes,
  nullableEnum,
  inferType,
  allowAnyFields,
];

const namesIn = (required: unknown): readonly string[] => (required ?? []) as readonly string[];
const fieldsIn = (properties: unknown): Schema => (properties ?? {}) as Schema;
