import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { fitColumns } from './fit-columns.ts';
import { useWidthRem } from './use-width.ts';

export type Column<Row> = {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** Left out on narrow tables whose rows open a page with all values. */
  readonly isMinor?: boolean;
  /** Contains sentences: on narrow tables a separate line below the other cells of the row. */
  readonly hasOwnLine?: boolean;
  /** In rem. */
  readonly width?: `${number}rem`;
};

type TableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Called on a click on a row. The first cell has a link to the same page for keyboard users. */
  readonly onOpen?: (row: Row) => void;
  /** Called when the last rows become visible. */
  readonly onEnd?: () => void;
};

const ROWS_DRAWN_WHOLE_MAX = 60;
const ROW_PX = 41;
const ROWS_BESIDE = 12;

/** A table of any length. Over 60 rows, only visible rows are rendered. The width decides which columns appear. */
export function Table<Row>(props: TableProps<Row>) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const widthRem = useWidthRem(box);
  const { columns, onOpen } = props;
  const drawn = useMemo(() => {
    const fitting = fitColumns(columns, widthRem);
    if (fitting === columns) return { columns, className: undefined };
    // Without a page to open, no column may be left out: show each row as a list of names and values.
    return onOpen === undefined
      ? { columns, className: 'stacked' }
      : { columns: fitting, className: 'left-out' };
  }, [columns, onOpen, widthRem]);
  const isLong = props.rows.length > ROWS_DRAWN_WHOLE_MAX;
  return isLong ? (
    <LongTable {...props} {...drawn} box={box} setBox={setBox} />
  ) : (
    <ShortTable {...props} {...drawn} setBox={setBox} />
  );
}

type DrawnProps<Row> = TableProps<Row> & {
  readonly className: string | undefined;
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
            style={column.width === undefined ? undefined : { width: column.width }}
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
}: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
}) {
  return columns.map((column) => (
    <td key={column.name} className={cellClass(column)} data-name={column.name}>
      {column.cell(row)}
    </td>
  ));
}

function openOnClick<Row>(row: Row, onOpen: TableProps<Row>['onOpen']) {
  if (onOpen === undefined) return {};
  return {
    className: 'clickable',
    onClick: (event: MouseEvent) => {
      // Ignore clicks on controls inside the row, and text selection.
      if (
        (event.target as Element).closest('a, button, input, select') !== null ||
        getSelection()?.toString()
      )
        return;
      onOpen(row);
    },
  };
}

function ShortTable<Row>({
  label,
  columns,
  className,
  setBox,
  rows,
  rowKey,
  onOpen,
  onEnd,
}: DrawnProps<Row>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={setBox} className="table-box" role="region" aria-label={label} tabIndex={0}>
      <table className={className}>
        <Head columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...openOnClick(row, onOpen)}>
              <Cells row={row} columns={columns} />
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
  rows,
  rowKey,
  onOpen,
  onEnd,
}: DrawnProps<Row> & { readonly box: HTMLDivElement | null }) {
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: () => ROW_PX,
    overscan: ROWS_BESIDE,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - ROWS_BESIDE) onEnd?.();
  }, [last, rows.length, onEnd]);
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const jump = (event: KeyboardEvent): void => {
    if (event.target !== box) return;
    if (event.key === 'Home') virtual.scrollToIndex(0);
    if (event.key === 'End') virtual.scrollToIndex(rows.length - 1);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={setBox}
      className="table-box tall"
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={jump}
    >
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
                  <Cells row={row} columns={columns} />
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
