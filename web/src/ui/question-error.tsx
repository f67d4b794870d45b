import { errorMessage } from '../api/problem.ts';
import { isBusy } from '../api/retries.ts';
import { Button } from './button.tsx';
import { Callout } from './card.tsx';

type Props = { readonly error: Error; readonly onRetry: () => unknown };

/** Why there is no answer. A service that is busy is no mistake of the person who asks. */
export function QuestionError({ error, onRetry }: Props) {
  if (!isBusy(error)) return <Callout tone="bad">{errorMessage(error)}</Callout>;
  return (
    <Callout tone="warn">
      <p>{errorMessage(error)}</p>
      <div className="row">
        <Button onClick={() => void onRetry()}>Try again</Button>
      </div>
    </Callout>
  );
}
