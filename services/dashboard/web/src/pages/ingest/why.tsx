import { sentenceOfFault } from '../../api/problem.ts';
import type { IngestEntry } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { ingestAdvice } from '../../words/advice.ts';

const FAULTS_SHOWN = 3;

/** Why a message or request came to what it came to, and what to do. */
export function Why({ entry, isWhole = false }: { readonly entry: IngestEntry; readonly isWhole?: boolean }) {
  const code = entry.reason ?? entry.code;
  if (code === undefined) return <span className="soft">–</span>;
  const { what, todo } = ingestAdvice(code);
  const errors = entry.errors ?? [];
  const shown = isWhole ? errors : errors.slice(0, FAULTS_SHOWN);
  return (
    <div>
      <div>
        <strong>{humanize(code)}</strong> <span className="soft">{what}</span>
      </div>
      {isWhole && todo !== undefined && <div>{todo}</div>}
      {entry.address !== undefined && (
        <div className="small">
          From <code>{entry.address}</code>
        </div>
      )}
      {shown.length > 0 && (
        <ul className="small">
          {shown.map((error) => (
            <li key={`${error.pointer} ${error.code}`}>
              <code className="wrap">{error.pointer || '/'}</code> {sentenceOfFault(error)}
            </li>
          ))}
          {errors.length > shown.length && <li className="soft">and {errors.length - shown.length} more</li>}
        </ul>
      )}
    </div>
  );
}
