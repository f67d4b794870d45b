import type { Column } from './table.tsx';
import { Time } from './time.tsx';

/** A column of instants. It is left out on narrow tables. */
export const timeColumn = <Row,>(name: string, at: (row: Row) => number | null): Column<Row> => ({
  name,
  isMinor: true,
  width: '11rem',
  cell: (row) => <Time at={at(row)} />,
});

/** The last column of a list: an instant in its short form. */
export const shortTimeColumn = <Row,>(
  name: string,
  at: (row: Row) => number | null,
): Column<Row> => ({
  name,
  isNumber: true,
  isMinor: 'last',
  width: '7.5rem',
  cell: (row) => <Time at={at(row)} form="short" />,
});

/** The number of attempts. */
export const ATTEMPTS_COLUMN: Column<{ readonly attempts: number }> = {
  name: 'Attempts',
  isNumber: true,
  isMinor: true,
  width: '6rem',
  cell: ({ attempts }) => attempts,
};
