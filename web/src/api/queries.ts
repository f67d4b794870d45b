import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { useStore } from '../lib/store.ts';
import { request, type Query, type RequestOptions } from './client.ts';
import { credentials } from './credentials.ts';
import { retriesQuestion } from './retries.ts';

export type Page<T> = {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  /** The search of one page stopped at messages that arrived at this instant. */
  readonly lookedBackTo?: number;
};

/** The cache key of a response: the application, then the segments of the path. A shorter path matches everything below it. */
function useKey(path: string, query: Query = {}): readonly unknown[] {
  const { applicationId } = useStore(credentials);
  return ['api', applicationId, ...path.split('/'), query];
}

/** Of one page of the API. */
const ROWS_MAX = 500;

type ReadOptions = {
  readonly query?: Query | undefined;
  readonly enabled?: boolean;
  readonly everyMs?: number;
};

/** The response of a `GET`. It is read again when it is stale, or every `everyMs` until `until` accepts it. */
export function useRead<T>(
  path: string,
  {
    query,
    enabled = true,
    everyMs,
    until,
    isKept = true,
    staleMs,
  }: ReadOptions & {
    readonly until?: (answer: T) => boolean;
    /** If false, an earlier answer never stands for the present one. */
    readonly isKept?: boolean;
    /** How long an answer stands. */
    readonly staleMs?: number;
  } = {},
) {
  return useQuery({
    queryKey: useKey(path, query),
    queryFn: ({ signal }) => request<T>(path, { query, signal }),
    enabled,
    ...(!isKept && { gcTime: 0 }),
    ...(staleMs !== undefined && { staleTime: staleMs }),
    refetchInterval: ({ state: { data } }) =>
      everyMs === undefined || (data !== undefined && until?.(data) === true) ? false : everyMs,
  });
}

/** All items of a list that the service bounds, however many pages it takes. */
export function useReadAll<T>(path: string, { enabled = true }: { readonly enabled?: boolean }) {
  return useQuery({
    queryKey: useKey(path, { all: 1 }),
    queryFn: async ({ signal }) => {
      const items: T[] = [];
      for (let cursor: string | undefined; ;) {
        const page = await request<Page<T>>(path, { query: { limit: ROWS_MAX, cursor }, signal });
        items.push(...page.items);
        if (page.nextCursor === null) return items;
        cursor = page.nextCursor;
      }
    },
    enabled,
  });
}

/** The answer of a `POST` that stores nothing. The last answer stays until the next one. */
export function useQuestion<T>(path: string, body: unknown, enabled: boolean) {
  return useQuery({
    queryKey: [...useKey(path), body],
    queryFn: ({ signal }) => request<T>(path, { method: 'POST', body, signal }),
    enabled,
    placeholderData: keepPreviousData,
    retry: retriesQuestion,
  });
}

const PAGE_ROWS = 100;

/** A list that loads page by page. The old rows stay visible while a changed filter loads. */
export function useList<T>(
  path: string,
  {
    query = {},
    body,
    enabled = true,
    everyMs,
    rows = PAGE_ROWS,
  }: ReadOptions & {
    /** Of a list that is asked by `POST`. */
    readonly body?: unknown;
    readonly rows?: number;
  } = {},
) {
  const key = useKey(path, { ...query, list: 1 });
  return useInfiniteQuery({
    queryKey: body === undefined ? key : [...key, body],
    queryFn: ({ signal, pageParam }) =>
      request<Page<T>>(path, {
        query: { ...query, limit: rows, cursor: pageParam ?? undefined },
        ...(body !== undefined && { method: 'POST', body }),
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** A change. Afterwards everything below `paths` is read again; without `paths`, everything of the application. */
export function useChange<Input, Answer = unknown>(
  describe: (input: Input) => { readonly path: string } & RequestOptions,
  paths?: readonly string[],
) {
  const client = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => {
      const { path, ...options } = describe(input);
      return request<Answer>(path, options);
    },
    onSettled: () => invalidate(client, paths),
  });
}

/** Lists with more loaded pages are not refreshed live: reading all their pages every few seconds costs too much. */
const LIVE_PAGES_MAX = 3;

/** Marks everything below these paths as stale, so that it is read again; without paths, everything of the application. */
export async function invalidate(
  client: QueryClient,
  paths?: readonly string[],
  isLive = false,
): Promise<void> {
  const { applicationId } = credentials.get();
  const keys =
    paths === undefined
      ? [['api', applicationId]]
      : paths.map((path) => ['api', applicationId, ...path.split('/')]);
  const isWanted = ({ state }: { readonly state: { readonly data?: unknown } }): boolean =>
    !isLive ||
    ((state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0) <=
      LIVE_PAGES_MAX;
  await Promise.all(
    keys.map((queryKey) => client.invalidateQueries({ queryKey, predicate: isWanted })),
  );
}
