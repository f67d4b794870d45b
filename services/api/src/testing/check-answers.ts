import type { Problem } from '@tidings/contracts/errors/error-codes';
import { createValidator, type Validation } from '@tidings/validation';
import { resolveReferences, type Json } from './references.ts';

type Response = {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
};
type Operation = { readonly responses: Readonly<Record<string, Response>> };

/** A request with its response. */
export type Exchange = {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/**
 * Checks responses against `/openapi.json`:
 * - the operation documents the status;
 * - the body matches the schema and has no other fields;
 * - required headers are present, and no undocumented ones;
 * - validation errors say what was expected.
 */
export function createAnswerCheck(document: Json): (exchange: Exchange) => void {
  const paths = Object.entries(
    resolveReferences(document)['paths'] as Record<string, Record<string, Operation>>,
  );
  const patterns = paths.map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    operations,
  }));
  const { headers: ours } = document['components'] as { readonly headers: Json };
  const validators = new Map<object, (body: unknown) => Validation<unknown>>();
  const getValidator = (schema: object) => {
    const validate = validators.get(schema) ?? createValidator(closed(schema) as object);
    validators.set(schema, validate);
    return validate;
  };

  return ({ method, path, status, headers, text }) => {
    const fail = (what: string): never => {
      throw new Error(`${method} ${path} answered ${status}, ${what}: ${text.slice(0, 2_000)}`);
    };
    const operations = patterns.find(({ pattern }) =>
      pattern.test(path.split('?', 1)[0] ?? ''),
    )?.operations;
    const operation = operations?.[method.toLowerCase()];
    if (operations === undefined || (operation === undefined && status !== 405)) {
      if (operations !== undefined || status !== 404) fail('and is not documented');
      return;
    }
    const answer =
      (operation ?? Object.values(operations)[0])?.responses[status] ??
      fail('a status that is not documented');
    const { headers: documentedHeaders = {} } = answer;
    for (const name of Object.keys(ours)) {
      if (headers.has(name) && !(name in documentedHeaders))
        fail(`with ${name}, which is not documented`);
      if (!headers.has(name) && documentedHeaders[name]?.required === true) fail(`without ${name}`);
    }
    const { content = {} } = answer;
    const types = Object.keys(content);
    if (types.length === 0) {
      if (text !== '') fail('with a body that is not documented');
      return;
    }
    const contentType = headers.get('content-type');
    const type = contentType?.split(';', 1)[0] ?? '';
    const { schema } = content[type] ?? fail(`as ${contentType}, not ${types.join(' or ')}`);
    // A file or an event stream.
    if (type.startsWith('text/')) return;
    const body: unknown = JSON.parse(text);
    const result = getValidator(schema)(body);
    if (!result.ok) fail(`which does not fit its schema: ${JSON.stringify(result.errors)}`);
    const { errors = [] } = body as Partial<Problem>;
    if (status === 400 && errors.some(({ expected }) => expected === undefined))
      fail('and does not say what was expected');
  };
}

/** The schema with `additionalProperties: false` on every object. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const isObjectSchema =
    'properties' in copy && copy['type'] === 'object' && !('additionalProperties' in copy);
  return isObjectSchema ? { ...copy, additionalProperties: false } : copy;
}
