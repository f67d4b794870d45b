/** The layout properties of a column. */
export type ColumnLayout = {
  readonly width?: `${number}rem`;
  readonly isMinor?: boolean | 'last';
  readonly hasOwnLine?: boolean;
};

/** Minimum widths of columns without their own width. The first names the row and needs the most. */
const FIRST_REM = 12;
const TEXT_REM = 9;
const SENTENCE_REM = 11;

function columnWidthRem({ width, hasOwnLine }: ColumnLayout, index: number): number {
  if (width !== undefined) return Number.parseFloat(width);
  if (index === 0) return FIRST_REM;
  return hasOwnLine === true ? SENTENCE_REM : TEXT_REM;
}

/** The columns that fit into this width. Minor columns are left out, from the last to the first; at last those that are `last`. */
export function fitColumns<C extends ColumnLayout>(
  columns: readonly C[],
  widthRem: number,
): readonly C[] {
  const needed = new Map(columns.map((column, index) => [column, columnWidthRem(column, index)]));
  let missing = [...needed.values()].reduce((sum, rem) => sum + rem, 0) - widthRem;
  const leftOut = new Set<C>();
  const minor = [
    ...columns.filter(({ isMinor }) => isMinor === 'last'),
    ...columns.filter(({ isMinor }) => isMinor === true),
  ];
  for (const column of minor.toReversed()) {
    if (missing <= 0) break;
    leftOut.add(column);
    missing -= needed.get(column) ?? 0;
  }
  return leftOut.size === 0 ? columns : columns.filter((column) => !leftOut.has(column));
}
