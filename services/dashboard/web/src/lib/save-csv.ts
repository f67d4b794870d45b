import { request, requestBlob, type Query } from '../api/client.ts';
import type { Page } from '../api/queries.ts';
import { toCsv } from './csv.ts';

const PAGE_ROWS = 500;
/** A list without a file of its own is read page by page: no further than a browser takes in well. */
const ROWS_MAX = 20_000;

/** Saves a list as a file, made by the service where it does so (`csvQuery`), else of its pages. */
export async function saveCsv({ path, query, fileName, csvQuery }: { readonly path: string; readonly query: Query; readonly fileName: string; readonly csvQuery?: Query }): Promise<{ rows: number; isWhole: boolean }> {
  if (csvQuery !== undefined) {
    save(await requestBlob(path, { ...query, ...csvQuery }), fileName);
    return { rows: 0, isWhole: true };
  }
  const rows: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Record<string, unknown>> = await request(path, { query: { ...query, limit: PAGE_ROWS, cursor: cursor ?? undefined } });
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && rows.length < ROWS_MAX);
  // By this mark spreadsheets know UTF-8.
  save(new Blob(['\uFEFF', toCsv(rows)], { type: 'text/csv;charset=utf-8' }), fileName);
  return { rows: rows.length, isWhole: cursor === null };
}

/** Gives a file to the browser to keep. */
export function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
