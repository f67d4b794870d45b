import type { Column } from './table.tsx';
import { Time } from './time.tsx';

/** A column of instants, which gives way first where there is little room. */
export const timeColumn = <Row,>(name: string, at: (row: Row) => number | null): Column<Row> => ({
  name,
  isMinor: true,
  width: '10rem',
  cell: (row) => <Time at={at(row)} />,
});

/** How often something was tried. */
export const ATTEMPTS_COLUMN: Column<{ readonly attempts: number }> = {
  name: 'Attempts',
  isNumber: true,
  isMinor: true,
  width: '6rem',
  cell: ({ attempts }) => attempts,
};
