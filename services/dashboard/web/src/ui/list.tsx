import { useCallback, useState, type ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { sentenceOf } from '../api/problem.ts';
import { saveCsv } from '../lib/save.ts';
import { formatCount } from '../lib/format.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Failure, Loading } from './states.tsx';
import { Table, type Column } from './table.tsx';
import { showToast } from './toast.tsx';

type ListProps<Row> = {
  readonly label: string;
  readonly path: string;
  readonly query?: Query;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly empty: ReactNode;
  readonly everyMs?: number;
  /** The name of the file that the service makes of the whole list. */
  readonly fileName: string;
};

/** A list of the interface as a table, with its pages read as they are wanted, and a way to take it along. */
export function List<Row extends object>({ label, path, query, columns, rowKey, onOpen, empty, everyMs, fileName }: ListProps<Row>) {
  const list = useList<Row>(path, { ...(query !== undefined && { query }), ...(everyMs !== undefined && { everyMs }) });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  if (list.data === undefined) return list.error === null ? <Loading lines={6} /> : <Failure error={list.error} onRetry={() => list.refetch()} />;
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      <Table label={label} columns={columns} rows={rows} rowKey={rowKey} onEnd={more} {...(onOpen !== undefined && { onOpen })} />
      <div className="table-foot">
        <span className="numbers" role="status">
          {formatCount(rows.length)} {rows.length === 1 ? 'row' : 'rows'}
          {hasNextPage ? ', and more' : ''}
        </span>
        <span className="row">
          {hasNextPage && (
            <Button isSmall isBusy={isFetchingNextPage} onClick={more}>
              Show more
            </Button>
          )}
          <SaveButton path={path} fileName={fileName} query={query ?? {}} />
        </span>
      </div>
    </>
  );
}

function SaveButton(list: { readonly path: string; readonly query: Query; readonly fileName: string }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await saveCsv(list);
    } catch (error) {
      showToast(sentenceOf(error), 'bad');
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
