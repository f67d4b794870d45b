/** What the layout of a column needs to know; its width is in rem. */
export type ColumnLayout = {
  readonly width?: `${number}rem`;
  readonly isMinor?: boolean;
  readonly hasOwnLine?: boolean;
};

/** Columns without a width of their own share what is left: the first, which names the row, needs more of it. */
const FIRST_REM = 12;
const TEXT_REM = 9;
const SENTENCE_REM = 11;

function columnWidthRem({ width, hasOwnLine }: ColumnLayout, index: number): number {
  if (width !== undefined) return Number.parseFloat(width);
  if (index === 0) return FIRST_REM;
  return hasOwnLine === true ? SENTENCE_REM : TEXT_REM;
}

/** The columns that a table of this width has room for: minor ones give way, from the last to the first. */
export function fitColumns<C extends ColumnLayout>(
  columns: readonly C[],
  widthRem: number,
): readonly C[] {
  const needed = new Map(columns.map((column, index) => [column, columnWidthRem(column, index)]));
  let missing = [...needed.values()].reduce((sum, rem) => sum + rem, 0) - widthRem;
  const leftOut = new Set<C>();
  for (const column of columns.filter(({ isMinor }) => isMinor === true).toReversed()) {
    if (missing <= 0) break;
    leftOut.add(column);
    missing -= needed.get(column) ?? 0;
  }
  return leftOut.size === 0 ? columns : columns.filter((column) => !leftOut.has(column));
}
