/** The next items after a cursor. A page ends early when its contents are large. */
export type PageAfter<Cursor> = { readonly after: Cursor | null; readonly limit: number };
export type Listed<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/** Contents have up to 1 MiB: a page of many would exceed the memory of a process. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;
const ROWS_PER_READ = 8;

/** Reads a few rows at a time, until the page is full. A page has at least one item. */
export async function readBounded<Row extends { readonly content: string }, Cursor, Item>(
  { after, limit }: PageAfter<Cursor>,
  {
    read,
    cursorOf,
    toItem,
  }: {
    read(after: Cursor | null, limit: number): Promise<readonly Row[]>;
    cursorOf(row: Row): Cursor;
    toItem(row: Row): Item;
  },
): Promise<Listed<Item>> {
  const items: Item[] = [];
  let bytes = 0;
  for (let from = after; ;) {
    const rows = await read(from, ROWS_PER_READ);
    for (const row of rows) {
      bytes += Buffer.byteLength(row.content);
      if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES_MAX))
        return { items, hasMore: true };
      items.push(toItem(row));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_PER_READ) return { items, hasMore: false };
    from = cursorOf(last);
  }
}
