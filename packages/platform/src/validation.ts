import { FIELD_ERRORS_MAX, type FieldCode, type FieldError } from '@tidings/contracts';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';

export type Validation<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly errors: FieldError[] };

const OPTIONS = {
  strict: true,
  // `oneOf` with `required` of fields declared beside it is how "exactly one of" is said.
  strictRequired: false,
  allowUnionTypes: true,
  discriminator: true,
  formats: { int64: true },
} as const;

const quick = new Ajv2020(OPTIONS);
const thorough = new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true });

/**
 * Compiles a JSON Schema (2020-12), once, at module load. The first pass stops at the first fault;
 * only a refused value is looked at again for all of them (at most {@link FIELD_ERRORS_MAX} + 1).
 */
export function compileValidator<T>(schema: object): (value: unknown) => Validation<T> {
  const isValid: ValidateFunction = quick.compile(schema);
  const findAll: ValidateFunction = thorough.compile(withoutItemsOfLongArrays(schema) as object);
  return (value) => {
    if (isValid(value)) return { ok: true, value: value as T };
    findAll(value);
    return { ok: false, errors: toFieldErrors(findAll.errors ?? []) };
  };
}

/** The same schema, but an array above its bound is one fault: millions of items are not looked at one by one. */
function withoutItemsOfLongArrays(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutItemsOfLongArrays);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, withoutItemsOfLongArrays(value)]),
  );
  if (typeof copy['maxItems'] !== 'number' || copy['items'] === undefined) return copy;
  const { items, ...rest } = copy;
  return { ...rest, if: { minItems: copy['maxItems'] + 1 }, else: { items } };
}

/** Turns ajv's errors into ours, one per fault. They must be verbose: the schema says what was expected. */
function toFieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  const choices = errors.filter((error) => error.keyword === 'oneOf');
  const faults = new Map<string, FieldError>();
  for (const error of errors) {
    // `if` only repeats that its `else` does not fit, and the branches of a choice why each of them does not.
    if (error.keyword === 'if' || choices.some((choice) => choice !== error && isInside(error, choice))) continue;
    // A mistyped field of the choice is the fault; that none of the branches fits only follows from it.
    if (error.keyword === 'oneOf' && errors.some((other) => other.keyword === 'type' && isFieldOf(other, error))) continue;
    const fault = toFieldError(error);
    if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    if (faults.size > FIELD_ERRORS_MAX) break;
  }
  return [...faults.values()];
}

function isInside(error: ErrorObject, choice: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${choice.schemaPath}/`) && error.instancePath.startsWith(choice.instancePath);
}

function isFieldOf(error: ErrorObject, choice: ErrorObject): boolean {
  return !isInside(error, choice) && fieldsOf(choice).some((field) => error.instancePath === `${choice.instancePath}/${field}`);
}

/** The fields of which a `oneOf` requires one, each in a branch of its own. */
function fieldsOf(choice: ErrorObject): readonly string[] {
  return (choice.schema as readonly { readonly required?: readonly string[] }[]).flatMap((branch) => branch.required ?? []);
}

/** The values of the field that tells the branches of a `oneOf` apart. */
function tagsOf({ parentSchema, params }: ErrorObject): readonly unknown[] {
  const branches = (parentSchema?.['oneOf'] ?? []) as readonly { readonly properties: Readonly<Record<string, { readonly const: unknown }>> }[];
  return branches.map((branch) => branch.properties[String(params['tag'])]?.const);
}

function toFieldError(error: ErrorObject): FieldError {
  const at = (pointer: string, code: FieldCode, expected?: string): FieldError =>
    expected === undefined ? { pointer, code } : { pointer, code, expected };
  const { instancePath, params } = error;
  switch (error.keyword) {
    case 'required':
      return at(`${instancePath}/${escapePointer(String(params['missingProperty']))}`, 'required');
    case 'type':
      return at(instancePath, 'wrong_type', [params['type']].flat().join(' or '));
    case 'discriminator': {
      const tag = `${instancePath}/${String(params['tag'])}`;
      return params['error'] === 'tag' ? at(tag, 'wrong_type', 'string') : at(tag, 'invalid_value', listed(tagsOf(error)));
    }
    case 'enum':
      return at(instancePath, 'invalid_value', listed(params['allowedValues']));
    case 'const':
      return at(instancePath, 'invalid_value', JSON.stringify(params['allowedValue']));
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return at(instancePath, 'empty', `at least ${String(params['limit'])}`);
    case 'maxLength':
      return at(instancePath, 'too_long', `at most ${String(params['limit'])} characters`);
    case 'maxItems':
    case 'maxProperties':
      return at(instancePath, 'too_many', `at most ${String(params['limit'])}`);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return at(instancePath, 'out_of_range', `${String(params['comparison'])} ${String(params['limit'])}`);
    case 'not':
      return at(instancePath, 'unsupported_type');
    case 'oneOf':
      return at(instancePath, 'exactly_one_of', `exactly one of ${fieldsOf(error).join(' and ')}`);
    default:
      return at(instancePath, 'invalid_value');
  }
}

/** A short closed list is worth showing; 180 currencies are not. */
function listed(values: unknown): string | undefined {
  const shown = (values as unknown[]).filter((value) => value !== null);
  return shown.length <= 12 ? shown.map(String).join(', ') : undefined;
}

/** One reference token of a JSON pointer (RFC 6901). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
