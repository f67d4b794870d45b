import { LIMITS, type FieldCode } from '@tidings/contracts';
import { AppError } from '@tidings/platform';
import type { Request } from 'express';

const LIMIT_DEFAULT = 50;

/** One query parameter, if it was given. @throws AppError `validation_failed` when it was given more than once, or holds U+0000 */
export function queryText(req: Request, name: string): string | undefined {
  const value: unknown = req.query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidQuery(name, 'invalid_value', 'one value');
  if (value.includes('\0')) throw invalidQuery(name, 'nul_not_allowed');
  return value;
}

/** A query parameter that must be one of a list. @throws AppError `validation_failed` */
export function queryChoice<T extends string>(req: Request, name: string, choices: readonly T[]): T | undefined {
  const value = queryText(req, name);
  const choice = choices.find((candidate) => candidate === value);
  if (value !== undefined && choice === undefined) throw invalidQuery(name, 'invalid_value', choices.join(', '));
  return choice;
}

export type Page = { readonly cursor?: string; readonly limit: number };

/** `?cursor&limit` of a list; the cursor must be of the form that the list gives. @throws AppError `validation_failed` */
export function readPage(req: Request, isCursor: (text: string) => boolean): Page {
  const cursor = queryText(req, 'cursor');
  const limitText = queryText(req, 'limit') ?? String(LIMIT_DEFAULT);
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMITS.pageMax) throw invalidQuery('limit', 'out_of_range', `1 to ${LIMITS.pageMax}`);
  if (cursor !== undefined && !isCursor(cursor)) throw invalidQuery('cursor', 'invalid_value', 'a nextCursor of this list');
  return cursor === undefined ? { limit } : { cursor, limit };
}

/** A page of a list: one item more than the limit was read, to know whether there is a next page. */
export function toPage<T>(items: readonly T[], limit: number, cursorOf: (item: T) => string): { readonly items: readonly T[]; readonly nextCursor: string | null } {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown, nextCursor: items.length > limit && last !== undefined ? cursorOf(last) : null };
}

/** A page of a list that is short enough to be read whole. */
export function pageOf<T>(req: Request, all: readonly T[], cursorOf: (item: T) => string) {
  const { cursor, limit } = readPage(req, (text) => all.some((item) => cursorOf(item) === text));
  const start = cursor === undefined ? 0 : all.findIndex((item) => cursorOf(item) === cursor) + 1;
  return toPage(all.slice(start, start + limit + 1), limit, cursorOf);
}

function invalidQuery(name: string, code: FieldCode, expected?: string): AppError {
  return new AppError('validation_failed', `The query parameter ${name} is not valid.`, {
    errors: [{ pointer: `/${name}`, code, ...(expected !== undefined && { expected }) }],
  });
}
