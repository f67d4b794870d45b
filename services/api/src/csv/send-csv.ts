import { listColumns } from '@tidings/api-spec/lists';
import { LIMITS } from '@tidings/contracts/limits';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readCells, csvLine } from './csv-columns.ts';

/** Tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

type Page = { readonly items: readonly unknown[]; readonly nextCursor: string | null };

/** A list to export: path, item schema and page reader. */
export type CsvSource = {
  readonly path: string;
  readonly item: object | undefined;
  /** Rows that are read at a time; default: those of the largest page. */
  readonly pageRows?: number;
  readonly readPage: (page: {
    readonly cursor?: string;
    readonly limit: number;
  }) => Promise<unknown>;
};

/** Streams a list as a CSV file, one page in memory at a time. */
export async function sendCsv(res: Response, source: CsvSource): Promise<void> {
  // The first page is read before the headers are sent, so that errors get a normal error response.
  const first = (await source.readPage({ limit: source.pageRows ?? LIMITS.pageMax })) as Page;
  const name = source.path.replaceAll(/:\w+\//g, '').replaceAll('/', '-');
  res
    .status(200)
    .type('text/csv')
    .setHeader('Content-Disposition', `attachment; filename="${name}.csv"`);
  try {
    await pipeline(Readable.from(lines(source, first)), res);
  } catch (error) {
    // Ignores a caller that disconnected. Any other failure aborts the response and is logged.
    if (!isPrematureClose(error)) throw error;
  }
}

async function* lines(
  { item, readPage, pageRows = LIMITS.pageMax }: CsvSource,
  first: Page,
): AsyncGenerator<string> {
  const columns = listColumns(item);
  yield BYTE_ORDER_MARK + csvLine(columns.map(({ name }) => name));
  for (let page = first; ;) {
    if (page.items.length > 0)
      yield page.items.map((row) => csvLine(readCells(row, columns))).join('');
    if (page.nextCursor === null) return;
    page = (await readPage({ cursor: page.nextCursor, limit: pageRows })) as Page;
  }
}

function isPrematureClose(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_STREAM_PREMATURE_CLOSE'
  );
}
