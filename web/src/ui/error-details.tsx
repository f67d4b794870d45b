import { errorDetail } from '../api/problem.ts';

/** What the service said, for those who ask it themselves; nothing where the page says the same. */
export function ErrorDetails({ error }: { readonly error: unknown }) {
  const detail = errorDetail(error);
  if (detail === null) return null;
  return (
    <details className="small">
      <summary>Details</summary>
      <p className="wrap">{detail}</p>
    </details>
  );
}
