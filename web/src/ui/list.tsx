import { useCallback, useState, type ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { errorMessage } from '../api/problem.ts';
import { saveCsv } from '../lib/save.ts';
import { formatCount } from '../lib/format.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { LiveBadge } from './live-badge.tsx';
import { Empty, Failure } from './states.tsx';
import { TableSkeleton } from './table-skeleton.tsx';
import { Table, type Column, type TableProps } from './table.tsx';
import { Time } from './time.tsx';
import { showToast } from './toast.tsx';

/** Empty pages that load in a row before the viewer must ask for more. A list with few pages stays live. */
const EMPTY_PAGES_FIRST = 3;
/** Further empty pages each time the viewer asks for more. */
const EMPTY_PAGES_MORE = 20;

type ListProps<Row> = {
  readonly label: string;
  readonly path: string;
  readonly query?: Query;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly empty: ReactNode;
  readonly everyMs?: number;
  /** The file name of the CSV export; null if the role does not permit an export. */
  readonly fileName: string | null;
  /** Whether the page keeps the list up to date. */
  readonly isLive?: boolean;
} & Pick<TableProps<Row>, 'isLined' | 'note' | 'actions'>;

/** A list of the API as a table. Pages load on demand; the whole list can be exported as CSV. */
export function List<Row extends object>({
  label,
  path,
  query,
  columns,
  rowKey,
  onOpen,
  empty,
  everyMs,
  fileName,
  isLive = false,
  ...lined
}: ListProps<Row>) {
  const list = useList<Row>(path, {
    ...(query !== undefined && { query }),
    ...(everyMs !== undefined && { everyMs }),
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const [emptyPagesMax, setEmptyPagesMax] = useState(EMPTY_PAGES_FIRST);
  if (list.data === undefined)
    return list.error === null ? (
      <TableSkeleton columns={columns} />
    ) : (
      <Failure error={list.error} onRetry={() => list.refetch()} />
    );
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && !hasNextPage) return empty;
  const { pages } = list.data;
  const emptyPages = pages.length - 1 - pages.findLastIndex(({ items }) => items.length > 0);
  const lookedBackTo = hasNextPage ? pages.at(-1)?.lookedBackTo : undefined;
  const loadMore = (): void => {
    setEmptyPagesMax(emptyPages + EMPTY_PAGES_MORE);
    more();
  };
  return (
    <>
      <Table
        label={label}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        {...lined}
        {...(emptyPages < emptyPagesMax && { onEnd: more })}
        {...(onOpen !== undefined && { onOpen })}
      />
      {rows.length === 0 && (
        <Empty
          title={
            isFetchingNextPage ? 'No matches so far, searching older entries' : 'No matches so far'
          }
          icon="search"
        >
          Older entries have not been searched yet.
        </Empty>
      )}
      <div className="table-foot">
        <span className="numbers" role="status">
          {formatCount(rows.length)} {rows.length === 1 ? 'row' : 'rows'}
          {lookedBackTo !== undefined ? (
            <>
              , searched back to <Time at={lookedBackTo} />
            </>
          ) : (
            hasNextPage && ', more available'
          )}
        </span>
        <span className="row">
          {isLive && <LiveBadge />}
          {hasNextPage && (
            <Button isSmall isBusy={isFetchingNextPage} onClick={loadMore}>
              {lookedBackTo === undefined ? 'Show more' : 'Search older entries'}
            </Button>
          )}
          {fileName !== null && <SaveButton path={path} fileName={fileName} query={query ?? {}} />}
        </span>
      </div>
    </>
  );
}

function SaveButton(list: {
  readonly path: string;
  readonly query: Query;
  readonly fileName: string;
}) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await saveCsv(list);
    } catch (error) {
      showToast(errorMessage(error), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button isSmall isBusy={isBusy} onClick={() => void save()}>
      <Icon name="download" /> CSV
    </Button>
  );
}
