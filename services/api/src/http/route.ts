import type { AnswerOf, Endpoint, TypedEndpoint } from '@tidings/api-spec/endpoint';
import { isList, getItemSchema } from '@tidings/api-spec/lists';
import { mayExport } from '@tidings/api-spec/roles';
import { AppError, compileValidator, stringifyExactJson, type Validation } from '@tidings/platform';
import type { Request, RequestHandler, Response } from 'express';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { allowsApplicationInQuery, getRole } from '../auth/access.ts';
import { findRecorder } from '../auth/audit.ts';
import { wantsCsv } from '../csv/wants-csv.ts';
import { sendCsv } from '../csv/send-csv.ts';

/** An endpoint and what answers it. */
export type Route = Endpoint & {
  /** Instead of a body of JSON and a megabyte at most. */
  readonly readBody?: readonly RequestHandler[];
  readonly handle: RequestHandler;
};

/** A request that was read and is valid. */
export type Call<Body, Query> = {
  readonly req: Request;
  readonly res: Response;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
};

/** Returned by a handler that has answered by itself. */
export const ANSWERED = Symbol('answered');

/** Answers with what it returns; nothing is sent when it has answered by itself. */
type CallHandler<Body, Query, Answer> = (
  call: Call<Body, Query>,
) => Promise<Answer | typeof ANSWERED>;

const INVALID_QUERY = 'The query is not valid.';

/** The route of an endpoint; compiles its schemas, once for each route. */
export function defineRoute<Body extends TSchema, Query extends TObject, Answer extends TSchema>(
  spec: TypedEndpoint<Body, Query, Answer>,
  handler: CallHandler<Static<Body>, Static<Query>, AnswerOf<TypedEndpoint<Body, Query, Answer>>>,
): Route {
  const validateParameters = compileValidator<Record<string, string>>(
    Type.Object({ ...spec.parameters }),
  );
  const validateQuery = compileValidator<Static<Query>>({
    ...(spec.query ?? Type.Object({})),
    additionalProperties: false,
  });
  const validateBody = spec.body && compileValidator<Static<Body>>(spec.body);
  // Elsewhere it would be a filter, and one that is not known.
  const isOfApplication = spec.access === 'reader' || spec.access === 'application_administrator';
  const readCall = (req: Request, res: Response): Call<Static<Body>, Static<Query>> => {
    const params = validateParameters(withoutSpaces(req.params, spec.parameters));
    if (!params.ok) throw new AppError('not_found', 'There is nothing at this address.');
    return {
      req,
      res,
      params: inLowerCase(params.value, spec.parameters),
      query: valid(
        validateQuery(
          readQuery(req, spec.query, {
            isApplicationRead: isOfApplication && allowsApplicationInQuery(spec, res),
          }),
        ),
        INVALID_QUERY,
      ),
      body: validateBody
        ? valid(validateBody(req.body), 'The body is not valid.')
        : (undefined as never),
    };
  };
  return {
    ...spec,
    handle: async (req, res) => {
      const call = readCall(req, res);
      const isFile = isList(spec) && wantsCsv(req, call.query);
      const record = findRecorder(spec, res, isFile);
      if (isFile) {
        checkMayExport(spec, res);
        const send = () =>
          sendCsv(res, {
            path: spec.path,
            item: getItemSchema(spec),
            readPage: (page) => handler({ ...call, query: { ...call.query, ...page } }),
          });
        await (record === undefined ? send() : record(exportEntry(spec, call), send));
        return;
      }
      const answer = await (record === undefined
        ? handler(call)
        : record({ endpoint: spec, call }, () => handler(call)));
      if (answer === ANSWERED || res.headersSent) return;
      res.status(spec.answer.status);
      if (answer === undefined) res.end();
      // Integers beyond 2^53 keep every digit.
      else res.type('application/json').send(stringifyExactJson(answer));
    },
  };
}

/** @throws AppError `role_forbidden` */
function checkMayExport(spec: Endpoint, res: Response): void {
  const role = getRole(res);
  if (role !== null && !mayExport(spec, role))
    throw new AppError('role_forbidden', `The role ${role} may not export this list.`);
}

/** A file in the audit log: the names of its filters, whose values may name a person. */
function exportEntry(spec: Endpoint, call: Call<unknown, unknown>) {
  return {
    endpoint: { ...spec, recorded: ['format'] },
    call: { ...call, body: { ...(call.query as object), format: 'csv' } },
  };
}

function valid<T>(result: Validation<T>, detail: string): T {
  if (!result.ok) throw new AppError('validation_failed', detail, { errors: result.errors });
  return result.value;
}

/**
 * The parameters of a list; an empty one that it knows counts as absent, and digits are a number where one is wanted. One
 * that it does not know stays, to be refused: a filter that is misspelt would show what nobody asked for.
 */
function readQuery(
  req: Request,
  query: TObject | undefined,
  { isApplicationRead }: { readonly isApplicationRead: boolean },
): Record<string, unknown> {
  if (query === undefined) return {};
  const known = query.properties as Readonly<Record<string, { readonly type?: unknown }>>;
  return Object.fromEntries(
    Object.entries(req.query as Record<string, unknown>).flatMap(([name, value]) => {
      // Who may name the application here was read before.
      if (name === 'applicationId' && isApplicationRead) return [];
      if (!Object.hasOwn(known, name)) return [[name, value]];
      if (value === '') return [];
      if (typeof value === 'string' && value.includes('\0')) {
        throw new AppError('validation_failed', INVALID_QUERY, {
          errors: [{ pointer: `/${name}`, code: 'nul_not_allowed', expected: 'no U+0000' }],
        });
      }
      return [
        [
          name,
          known[name]?.type === 'integer' && typeof value === 'string' && /^-?\d{1,16}$/.test(value)
            ? Number(value)
            : value,
        ],
      ];
    }),
  );
}

/** An id that was copied from somewhere has spaces around it. */
function withoutSpaces(
  values: Request['params'],
  parameters: Endpoint['parameters'] = {},
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isUuidSchema(parameters[name]) && typeof value === 'string' ? value.trim() : value,
    ]),
  );
}

const isUuidSchema = (schema: unknown): boolean =>
  (schema as { readonly format?: unknown } | undefined)?.format === 'uuid';

/** Ids are compared as Postgres writes them. */
function inLowerCase(
  values: Readonly<Record<string, string>>,
  parameters: Endpoint['parameters'] = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isUuidSchema(parameters[name]) ? value.toLowerCase() : value,
    ]),
  );
}
