import type { Static, TObject, TSchema } from 'typebox';
import type { HEADERS } from './headers.ts';

/**
 * The complete description of one method of one path, for whichever service serves it. It validates
 * requests, generates `/openapi.json`, and the tests check every response against it.
 */
export type EndpointSpec = {
  /**
   * The OpenAPI operationId, a verb and its object. Generated clients use it as the method name.
   */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * Path parameters. A value that does not match its schema gets 404, or 400 with `createsAtPath`.
   */
  readonly parameters?: Readonly<Record<string, TSchema>>;
  /**
   * The caller chooses the path of what is created: an invalid part of it is a fault at the pointer
   * of its parameter, such as `/slug`.
   */
  readonly createsAtPath?: true;
  readonly query?: TObject;
  /** Headers that callers may send, as Parameter Objects. */
  readonly headers?: readonly object[];
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** Named examples, in place of the one alone, where bodies differ in kind. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  readonly answer: {
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly description: string;
    readonly schema?: TSchema;
    readonly example?: unknown;
    /**
     * Other content types besides JSON, or instead of it where there is no schema. Each has an
     * example.
     */
    readonly texts?: Readonly<Record<string, string>>;
    /** Response headers besides those of every response. */
    readonly headers?: readonly (keyof typeof HEADERS)[];
  };
  /** Error statuses besides those that follow from access, body and query. */
  readonly errorStatuses?: readonly (401 | 404 | 409 | 429 | 503)[];
};

/** An endpoint of `/api/v1`. Its path is relative to that. */
export type Endpoint = EndpointSpec & {
  /**
   * Who may call:
   * - `reader`: a Server key, or an administrator of the application.
   * - `administrator`, `application_administrator`: an administrator token, or a member whose role
   *   allows it (`roles.ts`).
   * - `member`: a session only.
   * - `public`: no credentials. These endpoints create sessions.
   */
  readonly access: 'reader' | 'administrator' | 'application_administrator' | 'member' | 'public';
  /**
   * Body fields that the audit log stores with their values. For other fields it stores the name
   * only. Never list a secret.
   */
  readonly recorded?: readonly string[];
  /** Changes nothing, although it is no GET: its question needs a body. No audit entry. */
  readonly isQuestion?: true;
  /** A bulk export of personal data. The audit log gets an entry although nothing changes. */
  readonly isExport?: true;
};

/**
 * An endpoint that is called with an API key: the gateway and the device endpoints. Its path is
 * absolute.
 */
export type KeyEndpoint = EndpointSpec & {
  readonly part: 'ingest' | 'push' | 'sdk';
  /** A second path for the same endpoint. */
  readonly alias?: string;
};

/** Declares a key endpoint and keeps the literal types of its schemas. */
export function keyEndpoint<const Spec extends KeyEndpoint>(
  // An unknown property is a type error, as in an object literal.
  spec: Spec & Readonly<Record<Exclude<keyof Spec, keyof KeyEndpoint>, never>>,
): Spec {
  return spec;
}

/** An endpoint with the types of its body, query and response. */
export type TypedEndpoint<
  Body extends TSchema,
  Query extends TObject,
  Answer extends TSchema = TSchema,
> = Omit<Endpoint, 'body' | 'query' | 'answer'> & {
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Omit<EndpointSpec['answer'], 'schema'> & { readonly schema?: Answer };
};

/** The type of an endpoint's response body. */
export type AnswerOf<Spec> =
  Spec extends TypedEndpoint<TSchema, TObject, infer Answer> ? DeepReadonly<Static<Answer>> : never;

/** Responses are read-only. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** The type of one item of a list endpoint. */
export type ItemOf<Spec> =
  AnswerOf<Spec> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** Declares an endpoint and infers its types from its schemas. */
export function endpoint<Body extends TSchema, Query extends TObject, Answer extends TSchema>(
  spec: TypedEndpoint<Body, Query, Answer>,
): TypedEndpoint<Body, Query, Answer> {
  return spec;
}
