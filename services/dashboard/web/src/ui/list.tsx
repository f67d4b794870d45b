import { useCallback, useState, type ReactNode } from 'react';
import type { Query } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { sentenceOf } from '../api/problem.ts';
import { saveCsv } from '../lib/save-csv.ts';
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
  /** The name of the file that the list is saved as; none: it is not. */
  readonly fileName?: string;
  /** Where the service makes the file by itself. */
  readonly csvQuery?: Query;
};

/** A list of the interface as a table, with its pages read as they are wanted, and a way to take it along. */
export function List<Row extends object>({ label, path, query, columns, rowKey, onOpen, empty, everyMs, fileName, csvQuery }: ListProps<Row>) {
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
          {fileName !== undefined && <SaveButton path={path} fileName={fileName} query={query ?? {}} {...(csvQuery !== undefined && { csvQuery })} />}
        </span>
      </div>
    </>
  );
}

function SaveButton({ path, query, fileName, csvQuery }: { readonly path: string; readonly query: Query; readonly fileName: string; readonly csvQuery?: Query }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const { rows, isWhole } = await saveCsv({ path, query, fileName, ...(csvQuery !== undefined && { csvQuery }) });
      if (!isWhole) showToast(`The file has the first ${formatCount(rows)} rows: use filters to get at the others.`);
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
