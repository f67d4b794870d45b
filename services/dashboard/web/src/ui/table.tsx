import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Left out where there is little room, if a row leads to all of it. */
  readonly isMinor?: boolean;
  /** Sentences: where there is little room, a line of its own below the other cells of its row. */
  readonly hasOwnLine?: boolean;
  readonly width?: string;
};

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Where a click on a row leads; the first cell has a link to the same place for keyboards. */
  readonly onOpen?: (row: Row) => void;
  /** Told when the last rows come into sight. */
  readonly onEnd?: () => void;
};

const ROWS_DRAWN_WHOLE_MAX = 60;
const ROW_PX = 41;
const ROWS_BESIDE = 12;

/** A table of any length: beyond some rows only those in sight are drawn. */
export function Table<Row>(props: TableProps<Row>) {
  return props.rows.length > ROWS_DRAWN_WHOLE_MAX ? <LongTable {...props} /> : <ShortTable {...props} />;
}

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.name} scope="col" className={cellClass(column)} style={column.width === undefined ? undefined : { width: column.width }}>
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const cellClass = (column: Pick<Column<never>, 'isNumber' | 'isMinor' | 'hasOwnLine'>): string | undefined =>
  [column.isNumber && 'end', column.isMinor && 'wide-only', column.hasOwnLine && 'own-line'].filter(Boolean).join(' ') || undefined;

/** Rows that lead nowhere have no other place for what is left out of them: where there is little room, each is a list of names and values. */
const tableClass = <Row,>({ columns, onOpen }: Pick<TableProps<Row>, 'columns' | 'onOpen'>): string | undefined => (onOpen === undefined && columns.some(({ isMinor }) => isMinor === true) ? 'stacked' : undefined);

function Cells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return columns.map((column) => (
    <td key={column.name} className={cellClass(column)} data-name={column.name}>
      {column.cell(row)}
    </td>
  ));
}

function leads<Row>(row: Row, onOpen: TableProps<Row>['onOpen']) {
  if (onOpen === undefined) return {};
  return {
    className: 'leads',
    onClick: (event: MouseEvent) => {
      // What stands in a row and does something of its own does only that; marking text is no click.
      if ((event.target as Element).closest('a, button, input, select') !== null || getSelection()?.toString()) return;
      onOpen(row);
    },
  };
}

function ShortTable<Row>({ label, columns, rows, rowKey, onOpen, onEnd }: TableProps<Row>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-box" role="region" aria-label={label} tabIndex={0}>
      <table className={tableClass({ columns, onOpen })}>
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...leads(row, onOpen)}>
              <Cells row={row} columns={columns} />
            </tr>
          ))}
        </tbody>
      </table>
      {onEnd !== undefined && <End onSeen={onEnd} />}
    </div>
  );
}

function LongTable<Row>({ label, columns, rows, rowKey, onOpen, onEnd }: TableProps<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: ROWS_BESIDE });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - ROWS_BESIDE) onEnd?.();
  }, [last, rows.length, onEnd]);
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const jump = (event: KeyboardEvent): void => {
    if (event.target !== box.current) return;
    if (event.key === 'Home') virtual.scrollToIndex(0);
    if (event.key === 'End') virtual.scrollToIndex(rows.length - 1);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
    <div ref={box} className="table-box tall" role="region" aria-label={label} tabIndex={0} onKeyDown={jump}>
      <table className={tableClass({ columns, onOpen })} aria-rowcount={rows.length + 1}>
        <Head columns={columns} />
        <tbody>
          <Filler height={above} columns={columns.length} />
          {shown.map(({ index }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <tr key={rowKey(row)} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2} {...leads(row, onOpen)}>
                  <Cells row={row} columns={columns} />
                </tr>
              )
            );
          })}
          <Filler height={below} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Filler({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="filler" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

/** Below the last row: tells when it is seen. */
function End({ onSeen }: { readonly onSeen: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && onSeen());
    if (ref.current !== null) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [onSeen]);
  return <div ref={ref} />;
}
