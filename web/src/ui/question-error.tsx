import { ApiError, errorMessage } from '../api/problem.ts';
import { isBusy } from '../api/retries.ts';
import { Button } from './button.tsx';
import { Callout } from './card.tsx';
import { Failure } from './states.tsx';

type Props = { readonly error: Error; readonly onRetry: () => unknown };

/**
 * Why there is no answer. A service that is busy is no mistake of the person who asks. One that failed, or
 * that is not there, may be asked again.
 */
export function QuestionError({ error, onRetry }: Props) {
  if (!isBusy(error))
    return error instanceof ApiError && error.problem.status < 500 ? (
      <Callout tone="bad">{errorMessage(error)}</Callout>
    ) : (
      <Failure error={error} onRetry={onRetry} />
    );
  return (
    <Callout tone="warn">
      <p>{errorMessage(error)}</p>
      <div className="row">
        <Button onClick={() => void onRetry()}>Try again</Button>
      </div>
    </Callout>
  );
}
