import { fieldErrorMessage } from '../../api/problem.ts';
import type { IngestEntry, IngestRejection } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { explainIngest, shownRemedy } from '../../labels/explain.ts';

const ERRORS_SHOWN = 3;

type WhyProps = {
  readonly entry: Pick<IngestEntry, 'outcome'> &
    Partial<Pick<IngestRejection, 'code' | 'errors' | 'address'>> & { readonly reason?: string };
  readonly isWhole?: boolean;
};

/** The reason of an outcome, and what to do. */
export function IngestExplanation({
  entry: { reason, code: refusal, errors = [], address },
  isWhole = false,
}: WhyProps) {
  const code: string | undefined = refusal ?? reason;
  if (code === undefined) return <span className="soft">–</span>;
  const advice = explainIngest(code);
  const shown = isWhole ? errors : errors.slice(0, ERRORS_SHOWN);
  return (
    <div>
      <div>
        <strong>{humanize(code)}</strong> <span className="soft">{advice.summary}</span>
      </div>
      {isWhole && <div>{shownRemedy(advice)}</div>}
      {address !== undefined && (
        <div className="small">
          From <code className="wrap">{address}</code>
        </div>
      )}
      {shown.length > 0 && (
        <ul className="small">
          {shown.map((error) => (
            <li key={`${error.pointer} ${error.code}`}>
              <code className="wrap">{error.pointer || '/'}</code> {fieldErrorMessage(error)}
            </li>
          ))}
          {errors.length > shown.length && (
            <li className="soft">and {errors.length - shown.length} more</li>
          )}
        </ul>
      )}
    </div>
  );
}
