import { requestBlob, type Query } from '../api/client.ts';

/** Downloads the complete list as a CSV file from the service. @throws ApiError, ConnectionError */
export async function saveCsv({
  path,
  query,
  body,
  fileName,
}: {
  readonly path: string;
  readonly query: Query;
  /** Of a list that is asked by `POST`. */
  readonly body?: unknown;
  readonly fileName: string;
}): Promise<void> {
  const options = {
    query: { ...query, format: 'csv' },
    ...(body !== undefined && { method: 'POST' as const, body }),
  };
  save(await requestBlob(path, options), fileName);
}

/** Makes the browser download the file. */
export function save(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
