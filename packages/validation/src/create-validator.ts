import {
  FIELD_ERRORS_MAX,
  type FieldCode,
  type FieldError,
} from '@tidings/contracts/errors/error-codes';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { boundedPointer, childPointer, escapePointer } from './child-pointer.ts';
import { openPrecompiledValidators, writePrecompiledValidators } from './precompiled-validators.ts';
import { AJV_OPTIONS } from './validator-options.ts';

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: FieldError[] };

const quick = new Ajv2020(AJV_OPTIONS);
const thorough = new Ajv2020({ ...AJV_OPTIONS, allErrors: true, verbose: true });

/**
 * `noPropertyOf` can fail once per property of a value: the number of further faults to record in
 * the current pass.
 */
let propertyFaultsLeft = 0;

/** `additionalProperties: { not: { type } }` with a bounded number of faults. */
thorough.addKeyword({
  keyword: 'noPropertyOf',
  type: 'object',
  schemaType: 'string',
  errors: 'full',
  validate: findProperties,
});

function findProperties(
  type: string,
  value: object,
  ...[, context]: readonly [schema?: unknown, context?: DataValidationCxt]
): boolean {
  const errors: Partial<ErrorObject>[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (propertyFaultsLeft === 0) break;
    if (type !== (Array.isArray(item) ? 'array' : typeof item)) continue;
    propertyFaultsLeft -= 1;
    errors.push({
      keyword: 'noPropertyOf',
      instancePath: `${context?.instancePath ?? ''}/${escapePointer(key)}`,
      schemaPath: '',
      params: { type },
    });
  }
  findProperties.errors = errors;
  return errors.length === 0;
}
findProperties.errors = [] as Partial<ErrorObject>[];

/** Hot validators that have no function yet. */
const waiting: {
  readonly schema: object;
  readonly use: (isValid: ValidateFunction | undefined) => void;
}[] = [];

/**
 * A validator of a JSON Schema (2020-12), compiled when it is first needed: most processes serve few
 * of the routes that they load. The first pass stops at the first fault. Only an invalid value is
 * checked again for all faults (at most {@link FIELD_ERRORS_MAX} + 1), by a schema that the first of
 * them compiles. A smaller `faultsMax` bounds the work on hostile values; more faults may be
 * returned.
 *
 * `isHot`: a process that serves it has the first pass before it is ready, see
 * {@link prepareHotValidators}.
 */
export function createValidator<T>(
  schema: object,
  { isHot = false }: { readonly isHot?: boolean } = {},
): (value: unknown, faultsMax?: number) => Validation<T> {
  let isValid: ValidateFunction | undefined;
  let findAll: ValidateFunction | undefined;
  if (isHot)
    waiting.push({
      schema,
      use: (precompiled) => (isValid ??= precompiled ?? quick.compile(schema)),
    });
  return (value, faultsMax = FIELD_ERRORS_MAX + 1) => {
    isValid ??= quick.compile(schema);
    if (isValid(value)) return { ok: true, value: value as T };
    findAll ??= thorough.compile(bounded(schema) as object);
    propertyFaultsLeft = faultsMax;
    findAll(value);
    return { ok: false, errors: toFieldErrors(findAll.errors ?? []) };
  };
}

/**
 * Loads or compiles what hot routes check, so that no request waits for it. A service with such routes
 * calls it before it accepts work.
 */
export function prepareHotValidators(): void {
  if (waiting.length === 0) return;
  const precompiled = openPrecompiledValidators();
  for (const { schema, use } of waiting.splice(0)) use(precompiled.find(schema));
}

/** Compiles the hot validators that this process has loaded for processes with the same compile cache. */
export function precompileHotValidators(): void {
  writePrecompiledValidators(waiting.map(({ schema }) => schema));
}

/**
 * The same schema with bounded faults. An array or object above its limit is one fault, so millions
 * of items are not checked; for properties without a limit see `noPropertyOf`.
 */
function bounded(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bounded);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, bounded(value)]),
  );
  const forbidden = forbiddenType(copy['additionalProperties']);
  if (forbidden !== undefined) {
    delete copy['additionalProperties'];
    copy['noPropertyOf'] = forbidden;
  }
  const { maxItems, maxProperties } = copy;
  if (typeof maxItems === 'number')
    return unless(copy, { minItems: maxItems + 1 }, ['items', 'uniqueItems']);
  // With `properties`, `additionalProperties` means only the others.
  return typeof maxProperties === 'number' && copy['properties'] === undefined
    ? unless(copy, { minProperties: maxProperties + 1 }, ['propertyNames', 'additionalProperties'])
    : copy;
}

/** The schema with these keywords applied only to what `exceeds` does not hold for. */
function unless(
  schema: Readonly<Record<string, unknown>>,
  exceeds: object,
  keywords: readonly string[],
): object {
  const isMoved = ([keyword]: readonly [string, unknown]) => keywords.includes(keyword);
  const moved = Object.entries(schema).filter(isMoved);
  if (moved.length === 0) return schema;
  const kept = Object.entries(schema).filter((entry) => !isMoved(entry));
  return { ...Object.fromEntries(kept), if: exceeds, else: Object.fromEntries(moved) };
}

/** The type in `{ not: { type } }`, if that is the whole schema. */
function forbiddenType(schema: unknown): string | undefined {
  const { not, ...rest } = (typeof schema === 'object' && schema !== null ? schema : {}) as {
    readonly not?: { readonly type?: unknown };
  };
  return typeof not?.type === 'string' &&
    Object.keys(not).length === 1 &&
    Object.keys(rest).length === 0
    ? not.type
    : undefined;
}

/**
 * Converts verbose ajv errors to field errors, one per fault. The schema in them states what was
 * expected.
 */
function toFieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  const choices = errors.filter((error) => error.keyword === 'oneOf');
  const faults = new Map<string, FieldError>();
  for (const error of errors) {
    // `if` only repeats the fault of its `then` or `else`, and the errors inside `oneOf` branches only
    // explain each mismatch.
    if (
      error.keyword === 'if' ||
      choices.some((choice) => choice !== error && isInside(error, choice))
    )
      continue;
    // The fault is the mistyped field of the choice; the mismatch of all branches only follows from
    // it.
    if (
      error.keyword === 'oneOf' &&
      errors.some((other) => other.keyword === 'type' && isFieldOf(other, error))
    )
      continue;
    const fault = toFieldError(error);
    if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    if (faults.size > FIELD_ERRORS_MAX) break;
  }
  return [...faults.values()];
}

function isInside(error: ErrorObject, choice: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
    error.instancePath.startsWith(choice.instancePath)
  );
}

function isFieldOf(error: ErrorObject, choice: ErrorObject): boolean {
  return (
    !isInside(error, choice) &&
    listFields(choice).some((field) => error.instancePath === `${choice.instancePath}/${field}`)
  );
}

/** The fields that a `oneOf` requires, one per branch. */
function listFields(choice: ErrorObject): readonly string[] {
  return (choice.schema as readonly { readonly required?: readonly string[] }[]).flatMap(
    (branch) => branch.required ?? [],
  );
}

/** The values of the discriminator field of a `oneOf`. */
function listTags({ parentSchema, params }: ErrorObject): readonly unknown[] {
  const branches = (parentSchema?.['oneOf'] ?? []) as readonly {
    readonly properties: Readonly<Record<string, { readonly const: unknown }>>;
  }[];
  return branches.map((branch) => branch.properties[String(params['tag'])]?.const);
}

function toFieldError(error: ErrorObject): FieldError {
  const { instancePath, params } = error;
  const fault = (code: FieldCode, expected: string | undefined, field?: string): FieldError => ({
    pointer:
      field === undefined
        ? boundedPointer(instancePath)
        : childPointer(boundedPointer(instancePath), field),
    code,
    ...(expected === undefined ? {} : { expected }),
  });
  switch (error.keyword) {
    case 'required':
      return fault(
        'required',
        expectedIn(error, String(params['missingProperty'])),
        String(params['missingProperty']),
      );
    case 'additionalProperties':
      return fault('invalid_value', 'a known field', String(params['additionalProperty']));
    case 'type':
      return fault('wrong_type', describeTypes(params['type']));
    case 'discriminator':
      return params['error'] === 'tag'
        ? fault('wrong_type', 'string', String(params['tag']))
        : fault('invalid_value', listed(listTags(error)), String(params['tag']));
    case 'enum':
      return fault(
        'invalid_value',
        listed(params['allowedValues']) ?? describedBy(error.parentSchema),
      );
    case 'const':
      return fault('invalid_value', JSON.stringify(params['allowedValue']));
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return fault(isEmpty(error.data) ? 'empty' : 'out_of_range', `at least ${counted(error)}`);
    case 'maxLength':
      return fault('too_long', `at most ${counted(error)}`);
    case 'maxItems':
    case 'maxProperties':
      return fault('too_many', `at most ${counted(error)}`);
    case 'uniqueItems':
      return fault('invalid_value', 'different items');
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return fault(
        'out_of_range',
        `${COMPARISONS[String(params['comparison'])] ?? ''} ${String(params['limit'])}`.trim(),
      );
    case 'noPropertyOf':
      return fault('unsupported_type', `anything but an ${String(params['type'])}`);
    case 'not':
      return fault(
        'unsupported_type',
        `anything but ${describeTypes((error.schema as { readonly type?: unknown }).type) ?? 'this value'}`,
      );
    case 'oneOf':
      return fault('exactly_one_of', `exactly one of ${inWords(listFields(error))}`);
    default:
      return fault('invalid_value', describedBy(error.parentSchema));
  }
}

/** `a and b`, `a, b and c`. */
const inWords = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');

/** A list of one where two are needed is not empty. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'string' ? value === '' : Object.keys(value ?? {}).length === 0;

const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '<=': 'at most',
  '>': 'more than',
  '<': 'less than',
};
const COUNTED: Readonly<Record<string, string>> = {
  Length: 'character',
  Items: 'item',
  Properties: 'field',
};

/** A limit with its unit, such as "1 item". */
function counted({ keyword, params }: ErrorObject): string {
  const limit = Number(params['limit']);
  return `${limit} ${COUNTED[keyword.slice(3)] ?? 'value'}${limit === 1 ? '' : 's'}`;
}

/** What the schema says about a missing field: its type or its allowed values. */
function expectedIn({ parentSchema }: ErrorObject, field: string): string | undefined {
  const { discriminator, oneOf = [], properties } = (parentSchema ?? {}) as ObjectSchema;
  if (discriminator?.propertyName === field)
    return listed(oneOf.map((branch) => branch.properties?.[field]?.const));
  const schema = properties?.[field];
  return schema?.enum === undefined
    ? (describeTypes(schema?.type) ?? describedBy(schema))
    : (listed(schema.enum) ?? describedBy(schema));
}

type ObjectSchema = {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly ObjectSchema[];
};

function describeTypes(type: unknown): string | undefined {
  return type === undefined ? undefined : [type].flat().map(String).join(' or ');
}

function describedBy(schema: object | undefined): string | undefined {
  return schema !== undefined && 'description' in schema && typeof schema.description === 'string'
    ? schema.description
    : undefined;
}

/** Shows lists of up to 12 values; not the 180 currencies. */
function listed(values: unknown): string | undefined {
  const shown = (values as unknown[]).filter((value) => value !== null);
  return shown.length > 0 && shown.length <= 12 ? shown.map(String).join(', ') : undefined;
}
