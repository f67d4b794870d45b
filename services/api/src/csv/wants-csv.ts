import type { Request } from 'express';

/**
 * Whether the caller asked for CSV: by `?format=csv`, or an `Accept` header that prefers it to
 * JSON.
 */
export function wantsCsv(req: Request, query: unknown): boolean {
  const { format } = query as { readonly format?: unknown };
  return (
    format === 'csv' ||
    (format === undefined && req.accepts(['application/json', 'text/csv']) === 'text/csv')
  );
}
