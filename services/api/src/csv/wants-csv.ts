import type { Request } from 'express';

/** By `?format=csv`, or by an `Accept` that prefers it to JSON. */
export function wantsCsv(req: Request, query: unknown): boolean {
  const { format } = query as { readonly format?: unknown };
  return (
    format === 'csv' ||
    (format === undefined && req.accepts(['application/json', 'text/csv']) === 'text/csv')
  );
}
