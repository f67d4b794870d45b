import { AsOf } from '../../analytics/answer-state.tsx';
import type { ShownFunnel } from './use-funnel-answer.ts';

/** How good the numbers are: of a draw at first, then exact. */
export function AnswerState({ shown }: { readonly shown: ShownFunnel | null }) {
  if (shown === null) return null;
  if (shown.result !== null) return <AsOf answer={shown.result} />;
  return (
    <span className="soft small nowrap as-of" role="status">
      ≈ from some people, counting all…
    </span>
  );
}
