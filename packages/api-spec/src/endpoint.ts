import type { Static, TObject, TSchema } from 'typebox';
import type { HEADERS } from './headers.ts';

/**
 * All that the interface says of one method of one path, whichever service answers it. What is written here is what is
 * checked when a request comes in, what `/openapi.json` shows, and what the answers of the tests are held against.
 */
export type EndpointSpec = {
  /** The id of the operation, by which clients that are generated call it: a verb and its object. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Each parameter of the path; what does not fit names nothing: 404. */
  readonly parameters?: Readonly<Record<string, TSchema>>;
  readonly query?: TObject;
  /** Headers that callers may send, as Parameter Objects. */
  readonly headers?: readonly object[];
  readonly body?: TSchema;
  readonly bodyExample?: unknown;
  /** Named examples, in place of the one alone, where bodies differ in kind. */
  readonly bodyExamples?: Readonly<Record<string, unknown>>;
  readonly answer: {
    readonly status: 200 | 201 | 204 | 302;
    readonly description: string;
    readonly schema?: TSchema;
    readonly example?: unknown;
    /** What it answers besides JSON, or in its place where it has no schema: an example of each content type. */
    readonly texts?: Readonly<Record<string, string>>;
    /** Besides those of every answer. */
    readonly headers?: readonly (keyof typeof HEADERS)[];
  };
  /** Statuses it refuses with, besides those that follow from the rest. */
  readonly errorStatuses?: readonly (401 | 404 | 409 | 429 | 503)[];
};

/** An endpoint of `/api/v1`; its path begins below that. */
export type Endpoint = EndpointSpec & {
  /**
   * `reader`: Server key or administrator of the application. Where administrators may, so may members whose role allows it
   * (`roles.ts`). `member`: a session alone. `anybody`: it is the way to a session.
   */
  readonly access: 'reader' | 'administrator' | 'application_administrator' | 'member' | 'public';
  /** Fields of the body whose values the audit log keeps; of all others it has the names alone. Never a secret. */
  readonly recorded?: readonly string[];
  /** Personal data leaves in bulk: the audit log has an entry, although nothing changes. */
  readonly isExport?: true;
};

/** An endpoint of the gateway or of devices, which callers reach with a key. Its path is the whole one. */
export type KeyEndpoint = EndpointSpec & {
  readonly part: 'ingest' | 'push' | 'sdk';
  /** Another path of the very same. */
  readonly alias?: string;
};

/** A key endpoint, with its body's schema as it is. */
export function keyEndpoint<const Spec extends KeyEndpoint>(spec: Spec): Spec {
  return spec;
}

/** An endpoint whose types of body, query and answer are known. */
export type TypedEndpoint<
  Body extends TSchema,
  Query extends TObject,
  Answer extends TSchema = TSchema,
> = Omit<Endpoint, 'body' | 'query' | 'answer'> & {
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Omit<EndpointSpec['answer'], 'schema'> & { readonly schema?: Answer };
};

/** What an endpoint answers with. */
export type AnswerOf<Spec> =
  Spec extends TypedEndpoint<TSchema, TObject, infer Answer> ? DeepReadonly<Static<Answer>> : never;

/** As it was read: nothing of an answer is changed. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

/** An item of what a list answers with. */
export type ItemOf<Spec> =
  AnswerOf<Spec> extends { readonly items: readonly (infer Item)[] } ? Item : never;

/** An endpoint, with the types that its schemas say. */
export function endpoint<Body extends TSchema, Query extends TObject, Answer extends TSchema>(
  spec: TypedEndpoint<Body, Query, Answer>,
): TypedEndpoint<Body, Query, Answer> {
  return spec;
}
