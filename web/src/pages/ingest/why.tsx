import { sentenceOfFault } from '../../api/problem.ts';
import type { IngestEntry, IngestRefusal } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { ingestAdvice, toDoOf } from '../../words/advice.ts';

const FAULTS_SHOWN = 3;

type WhyProps = {
  readonly entry: Pick<IngestEntry, 'outcome'> &
    Partial<Pick<IngestRefusal, 'code' | 'errors' | 'address'>> & { readonly reason?: string };
  readonly isWhole?: boolean;
};

/** Why a message or request came to what it came to, and what to do. */
export function Why({
  entry: { reason, code: refusal, errors = [], address },
  isWhole = false,
}: WhyProps) {
  const code: string | undefined = refusal ?? reason;
  if (code === undefined) return <span className="soft">–</span>;
  const advice = ingestAdvice(code);
  const shown = isWhole ? errors : errors.slice(0, FAULTS_SHOWN);
  return (
    <div>
      <div>
        <strong>{humanize(code)}</strong> <span className="soft">{advice.means}</span>
      </div>
      {isWhole && <div>{toDoOf(advice)}</div>}
      {address !== undefined && (
        <div className="small">
          From <code className="wrap">{address}</code>
        </div>
      )}
      {shown.length > 0 && (
        <ul className="small">
          {shown.map((error) => (
            <li key={`${error.pointer} ${error.code}`}>
              <code className="wrap">{error.pointer || '/'}</code> {sentenceOfFault(error)}
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
