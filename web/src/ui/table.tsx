import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { fitColumns } from './fit-columns.ts';
import { useRowKeys } from './use-row-keys.ts';
import { useWidthRem } from './use-width.ts';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Left out on narrow tables whose rows open a page with all values; `last`: after all others. */
  readonly isMinor?: boolean | 'last';
  /** Contains sentences: on narrow tables a separate line below the other cells of the row. */
  readonly hasOwnLine?: boolean;
  /** In rem. */
  readonly width?: `${number}rem`;
};

export type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Called on a click on a row. The first cell has a link to the same page for keyboard users. */
  readonly onOpen?: (row: Row) => void;
  /** Called when the last rows become visible. */
  readonly onEnd?: () => void;
  /** Each row is one line of 40 px: texts that do not fit are cut. */
  readonly isLined?: boolean;
  /** What stands instead of the cells from a column on, where their figures say nothing yet. */
  readonly note?:
    | ((row: Row) => { readonly from: string; readonly text: ReactNode } | null)
    | undefined;
  /** Buttons at the end of a row, shown while the pointer or the focus is in it. */
  readonly actions?: ((row: Row) => ReactNode) | undefined;
};

const ROWS_DRAWN_WHOLE_MAX = 60;
const ROW_PX = 41;
const ROWS_BESIDE = 12;

/**
 * A table of any length, in the scroll of the page. Over 60 rows, only visible rows are rendered. The
 * width decides which columns appear. J, K and arrows move between rows that open something.
 */
export function Table<Row>(props: TableProps<Row>) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const widthRem = useWidthRem(box);
  const { columns, onOpen, isLined = false } = props;
  const drawn = useMemo(() => {
    const fitting = fitColumns(columns, widthRem);
    const lined = isLined ? 'lined ' : '';
    if (fitting === columns) return { columns, className: lined };
    // Without a page to open, no column may be left out: show each row as a list of names and values.
    return onOpen === undefined
      ? { columns, className: 'stacked' }
      : { columns: fitting, className: `${lined}left-out` };
  }, [columns, isLined, onOpen, widthRem]);
  useRowKeys(box, onOpen !== undefined);
  const isLong = props.rows.length > ROWS_DRAWN_WHOLE_MAX;
  return isLong ? (
    <LongTable {...props} {...drawn} box={box} setBox={setBox} />
  ) : (
    <ShortTable {...props} {...drawn} setBox={setBox} />
  );
}

type DrawnProps<Row> = TableProps<Row> & {
  readonly className: string;
  readonly setBox: (box: HTMLDivElement | null) => void;
};

function Head<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column.name}
            scope="col"
            className={cellClass(column)}
            style={
              column.width === undefined
                ? undefined
                : { width: column.width, minWidth: column.width }
            }
          >
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const cellClass = (column: Pick<Column<never>, 'isNumber' | 'hasOwnLine'>): string | undefined =>
  [column.isNumber && 'end', column.hasOwnLine && 'own-line'].filter(Boolean).join(' ') ||
  undefined;

function Cells<Row>({
  row,
  columns,
  note,
  actions,
}: Pick<DrawnProps<Row>, 'columns' | 'note' | 'actions'> & { readonly row: Row }) {
  const noted = note?.(row) ?? null;
  const last = columns.length - 1;
  const from = noted === null ? last : indexOrLast(columns, noted.from);
  const cell = (column: Column<Row>, index: number) => (
    <td key={column.name} className={cellClass(column)} data-name={column.name}>
      {column.cell(row)}
      {index === last && actions !== undefined && <div className="row-actions">{actions(row)}</div>}
    </td>
  );
  return (
    <>
      {columns.slice(0, from).map(cell)}
      {from < last && (
        <td className="note" colSpan={last - from}>
          {noted?.text}
        </td>
      )}
      {columns.slice(last).map((column) => cell(column, last))}
    </>
  );
}

function indexOrLast<Row>(columns: readonly Column<Row>[], from: string): number {
  const found = columns.findIndex(({ name }) => name === from);
  return found === -1 ? columns.length - 1 : found;
}

function openOnClick<Row>(row: Row, onOpen: TableProps<Row>['onOpen']) {
  if (onOpen === undefined) return {};
  return {
    className: 'clickable',
    onClick: (event: MouseEvent) => {
      // Ignore clicks on controls and dialogs inside the row, and text selection.
      if (
        (event.target as Element).closest('a, button, input, select, dialog') !== null ||
        getSelection()?.toString()
      )
        return;
      onOpen(row);
    },
  };
}

function ShortTable<Row>({ label, columns, className, setBox, ...table }: DrawnProps<Row>) {
  const { rows, rowKey, onOpen, onEnd, note, actions } = table;
  return (
    <div ref={setBox} className="table-box" role="region" aria-label={label}>
      <table className={className}>
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...openOnClick(row, onOpen)}>
              <Cells row={row} columns={columns} note={note} actions={actions} />
            </tr>
          ))}
        </tbody>
      </table>
      {onEnd !== undefined && <End onSeen={onEnd} />}
    </div>
  );
}

function LongTable<Row>({
  label,
  columns,
  className,
  box,
  setBox,
  ...table
}: DrawnProps<Row> & { readonly box: HTMLDivElement | null }) {
  const { rows, rowKey, onOpen, onEnd, note, actions } = table;
  const scrollMargin =
    box === null ? 0 : Math.round(box.getBoundingClientRect().top + window.scrollY);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: ROWS_BESIDE,
    scrollMargin,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - ROWS_BESIDE) onEnd?.();
  }, [last, rows.length, onEnd]);
  const above = (shown[0]?.start ?? scrollMargin) - scrollMargin;
  const below = virtual.getTotalSize() - ((shown.at(-1)?.end ?? scrollMargin) - scrollMargin);
  return (
    <div ref={setBox} className="table-box tall" role="region" aria-label={label}>
      <table className={className} aria-rowcount={rows.length + 1}>
        <Head columns={columns} />
        <tbody>
          <Filler height={above} />
          {shown.map(({ index }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <tr
                  key={rowKey(row)}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  {...openOnClick(row, onOpen)}
                >
                  <Cells row={row} columns={columns} note={note} actions={actions} />
                </tr>
              )
            );
          })}
          <Filler height={below} />
        </tbody>
      </table>
    </div>
  );
}

/** A single cell: with colspan it would reserve room for the columns that are left out. */
function Filler({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="filler" aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}

/** An invisible marker below the last row that reports when it becomes visible. */
function End({ onSeen }: { readonly onSeen: () => void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onSeen(),
    );
    if (ref.current !== null) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [onSeen]);
  return <div ref={ref} />;
}
