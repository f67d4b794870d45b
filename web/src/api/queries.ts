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

export type Page<T> = {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  /** Where the service looked no further for one page: to what arrived at this instant. */
  readonly lookedBackTo?: number;
};

/** Where an answer is kept: by application, then by the elements of its path, so that a part of the path names all below it. */
function useKey(path: string, query: Query = {}): readonly unknown[] {
  const { applicationId } = useStore(credentials);
  return ['api', applicationId, ...path.split('/'), query];
}

type ReadOptions = {
  readonly query?: Query;
  readonly enabled?: boolean;
  readonly everyMs?: number;
};

/** An answer of `GET`, read again when it is stale, or every `everyMs` until it is as wanted. */
export function useRead<T>(
  path: string,
  {
    query,
    enabled = true,
    everyMs,
    until,
  }: ReadOptions & { readonly until?: (answer: T) => boolean } = {},
) {
  return useQuery({
    queryKey: useKey(path, query),
    queryFn: ({ signal }) => request<T>(path, { query, signal }),
    enabled,
    refetchInterval: ({ state: { data } }) =>
      everyMs === undefined || (data !== undefined && until?.(data) === true) ? false : everyMs,
  });
}

const PAGE_ROWS = 100;

/** A list, page after page; what was shown stays while another filter is read. */
export function useList<T>(
  path: string,
  {
    query = {},
    enabled = true,
    everyMs,
    rows = PAGE_ROWS,
  }: ReadOptions & { readonly rows?: number } = {},
) {
  return useInfiniteQuery({
    queryKey: useKey(path, { ...query, list: 1 }),
    queryFn: ({ signal, pageParam }) =>
      request<Page<T>>(path, {
        query: { ...query, limit: rows, cursor: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** A change; afterwards everything of `paths` (all of the application when absent) is read again. */
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

/** Lists read further than this stay as they are while changes come in: to read so many pages every few seconds would be too much. */
const LIVE_PAGES_MAX = 3;

/** Has everything below these paths read again; all of the application when absent. */
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
