import { fieldErrorMessage } from '../../api/problem.ts';
import type { IngestEntry, IngestRejection } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { explainIngest, shownRemedy } from '../../labels/explain.ts';

type WhyProps = {
  readonly entry: Pick<IngestEntry, 'outcome'> &
    Partial<Pick<IngestRejection, 'code' | 'errors' | 'address'>> & { readonly reason?: string };
};

/** The reason of an outcome in one line. */
export function IngestReason({ entry: { reason, code, errors = [] } }: WhyProps) {
  const named: string | undefined = code ?? reason;
  if (named === undefined) return <span className="soft">–</span>;
  const [first] = errors;
  return (
    <>
      {humanize(named)}{' '}
      <span className="soft">
        {first === undefined ? explainIngest(named).summary : fieldErrorMessage(first)}
      </span>
      {first !== undefined && <code className="row-id">{first.pointer || '/'}</code>}
    </>
  );
}

/** The reason of an outcome, and what to do. */
export function IngestExplanation({
  entry: { reason, code: refusal, errors = [], address },
}: WhyProps) {
  const code: string | undefined = refusal ?? reason;
  if (code === undefined) return <span className="soft">–</span>;
  const advice = explainIngest(code);
  return (
    <div>
      <div>
        <strong>{humanize(code)}</strong> <span className="soft">{advice.summary}</span>
      </div>
      <div>{shownRemedy(advice)}</div>
      {address !== undefined && (
        <div className="small">
          From <code className="wrap">{address}</code>
        </div>
      )}
      {errors.length > 0 && (
        <ul className="small">
          {errors.map((error) => (
            <li key={`${error.pointer} ${error.code}`}>
              <code className="wrap">{error.pointer || '/'}</code> {fieldErrorMessage(error)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
