import { getLimit, type PageQuery } from '@tidings/api-spec/schemas';
import { SLUG_PATTERN } from '@tidings/contracts/slug';
import { AppError } from '@tidings/platform';

export type Page = { readonly cursor?: string; readonly limit: number };

/**
 * Reads `cursor` and `limit` of a list. @throws AppError `validation_failed` for an invalid cursor
 */
export function readPage(query: PageQuery, isCursor: (text: string) => boolean): Page {
  const { cursor } = query;
  if (cursor !== undefined && !isCursor(cursor)) throw invalidCursor();
  return { ...(cursor !== undefined && { cursor }), limit: getLimit(query) };
}

/** The error for a cursor that this list did not return. */
export function invalidCursor(): AppError {
  return new AppError('validation_failed', 'The query is not valid.', {
    errors: [{ pointer: '/cursor', code: 'invalid_value', expected: 'a nextCursor of this list' }],
  });
}

/** The cursor of a list by customUserId. An id itself is none: any text may be one. */
export const toUserCursor = (customUserId: string): string =>
  `u${Buffer.from(customUserId).toString('base64url')}`;

/** The customUserId of such a cursor; null if it is none. */
function parseUserCursor(text: string): string | null {
  const customUserId = Buffer.from(text.slice(1), 'base64url').toString();
  return customUserId !== '' && toUserCursor(customUserId) === text ? customUserId : null;
}

/** A page of a list by customUserId: `cursor` is the last one of the page before. */
export function readUserPage(query: PageQuery): Page {
  const { cursor, limit } = readPage(query, (text) => parseUserCursor(text) !== null);
  return { ...(cursor !== undefined && { cursor: parseUserCursor(cursor) ?? '' }), limit };
}

/** Builds a page. Read `limit + 1` items: the extra one shows that there is a next page. */
export function toPage<T>(
  items: readonly T[],
  limit: number,
  cursorOf: (item: T) => string,
): { readonly items: readonly T[]; readonly nextCursor: string | null } {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown,
    nextCursor: items.length > limit && last !== undefined ? cursorOf(last) : null,
  };
}

/** A page that the list itself has bounded. */
export function toBoundedPage<T>(
  { items, hasMore }: { readonly items: readonly T[]; readonly hasMore: boolean },
  cursorOf: (item: T) => string,
): { readonly items: readonly T[]; readonly nextCursor: string | null } {
  const last = items.at(-1);
  return { items, nextCursor: hasMore && last !== undefined ? cursorOf(last) : null };
}

const SLUG = new RegExp(SLUG_PATTERN);
export const isSlugCursor = (text: string): boolean => SLUG.test(text);
export const isVersionCursor = (text: string): boolean => /^[1-9]\d{0,8}$/.test(text);

/** A page of a list by slug that is read completely. It goes on after one that was deleted. */
export function paginateBySlug<T extends { readonly slug: string }>(
  query: PageQuery,
  all: readonly T[],
) {
  const { cursor = '', limit } = readPage(query, isSlugCursor);
  const left = all.filter(({ slug }) => slug > cursor);
  return toPage(left, limit, ({ slug }) => slug);
}

/** A page of a list that is read completely. */
export function paginate<T>(query: PageQuery, all: readonly T[], cursorOf: (item: T) => string) {
  const { cursor, limit } = readPage(query, (text) => all.some((item) => cursorOf(item) === text));
  const start = cursor === undefined ? 0 : all.findIndex((item) => cursorOf(item) === cursor) + 1;
  return toPage(all.slice(start, start + limit + 1), limit, cursorOf);
}
