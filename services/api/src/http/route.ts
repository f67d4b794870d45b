import type { AnswerOf, Endpoint, TypedEndpoint } from '@tidings/api-spec/endpoint';
import { isList, getItemSchema } from '@tidings/api-spec/lists';
import { mayExport } from '@tidings/api-spec/roles';
import { AppError, stringifyExactJson } from '@tidings/platform';
import { createValidator, type Validation } from '@tidings/validation';
import type { Request, RequestHandler, Response } from 'express';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { allowsApplicationInQuery, getRole } from '../auth/access.ts';
import { findRecorder } from '../auth/audit.ts';
import { wantsCsv } from '../csv/wants-csv.ts';
import { sendCsv } from '../csv/send-csv.ts';
import type { Call } from './call.ts';

/** An endpoint with its handler. */
export type Route = Endpoint & {
  /** Replaces the default: a JSON body of at most 1 MiB. */
  readonly readBody?: readonly RequestHandler[];
  readonly handle: RequestHandler;
};

/** Returned by a handler that sent the response itself. */
export const ANSWERED = Symbol('answered');

/** Its result becomes the response body, unless it is ANSWERED. */
type CallHandler<Body, Query, Answer> = (
  call: Call<Body, Query>,
) => Promise<Answer | typeof ANSWERED>;

const INVALID_QUERY = 'The query is not valid.';

/**
 * Creates the route of an endpoint: validates the request, writes the audit entry, and sends the
 * result as JSON or CSV.
 */
export function defineRoute<Body extends TSchema, Query extends TObject, Answer extends TSchema>(
  spec: TypedEndpoint<Body, Query, Answer>,
  handler: CallHandler<Static<Body>, Static<Query>, AnswerOf<TypedEndpoint<Body, Query, Answer>>>,
  { csvPageRows }: { readonly csvPageRows?: number } = {},
): Route {
  const validateParameters = createValidator<Record<string, string>>(
    Type.Object({ ...spec.parameters }),
  );
  const readQuery = createQueryReader(spec);
  const validateBody = spec.body && createValidator<Static<Body>>(spec.body);
  const readCall = (req: Request, res: Response): Call<Static<Body>, Static<Query>> => {
    const params = validateParameters(withoutSpaces(req.params, spec.parameters));
    if (!params.ok && spec.createsAtPath !== true)
      throw new AppError('not_found', 'There is nothing at this path.');
    return {
      req,
      res,
      params: inLowerCase(valid(params, 'The path is not valid.'), spec.parameters),
      query: readQuery(req, res),
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
            ...(csvPageRows !== undefined && { pageRows: csvPageRows }),
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
      // Keeps all digits of integers beyond 2^53.
      else res.type('application/json').send(stringifyExactJson(answer));
    },
  };
}

/** Creates what reads and validates the query of an endpoint. It throws AppError `validation_failed`. */
export function createQueryReader<Query extends TObject>(
  spec: Pick<TypedEndpoint<TSchema, Query>, 'query' | 'access' | 'method'>,
): (req: Request, res: Response) => Static<Query> {
  const validate = createValidator<Static<Query>>({
    ...(spec.query ?? Type.Object({})),
    additionalProperties: false,
  });
  // On other endpoints `applicationId` is an ordinary, unknown query parameter.
  const isOfApplication = spec.access === 'reader' || spec.access === 'application_administrator';
  return (req, res) =>
    valid(
      validate(
        readQuery(req, spec.query, {
          isApplicationRead: isOfApplication && allowsApplicationInQuery(spec, res),
        }),
      ),
      INVALID_QUERY,
    );
}

/** @throws AppError `role_forbidden` */
function checkMayExport(spec: Endpoint, res: Response): void {
  const role = getRole(res);
  if (role !== null && !mayExport(spec, role))
    throw new AppError('role_forbidden', `Your role ${role} does not allow exporting this list.`);
}

/**
 * The audit entry of a CSV export: the names of its filters only, because values may identify a
 * person.
 */
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
 * Reads the query parameters. Empty known ones count as absent; digits become numbers where the
 * schema wants an integer. Unknown ones are kept, so that validation rejects them: a misspelt
 * filter must not return unfiltered data.
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
      // Already read by the authorization.
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

/** Trims UUIDs in the path: copied ids often have spaces around them. */
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

/** Postgres writes UUIDs in lower case. */
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
