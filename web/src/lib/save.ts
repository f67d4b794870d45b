import { requestBlob, type Query } from '../api/client.ts';

/** Downloads the complete list as a CSV file from the service. @throws ApiError, ConnectionError */
export async function saveCsv({
  path,
  query,
  fileName,
}: {
  readonly path: string;
  readonly query: Query;
  readonly fileName: string;
}): Promise<void> {
  save(await requestBlob(path, { ...query, format: 'csv' }), fileName);
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
