import { useState } from 'react';
import { useQuestion } from '../api/queries.ts';
import { isBusy } from '../api/retries.ts';

/**
 * The answer of a question with the question that it answers: while the next one is asked, the last
 * answer stays, and its names must not be those of the next.
 */
export function useAnswered<Question, Answer>(path: string, question: Question | null) {
  const read = useQuestion<Answer>(path, question, question !== null);
  const [answered, setAnswered] = useState<{
    readonly question: Question;
    readonly answer: Answer;
  } | null>(null);
  const { data, isPlaceholderData } = read;
  if (
    question !== null &&
    data !== undefined &&
    !isPlaceholderData &&
    (answered?.answer !== data || answered.question !== question)
  )
    setAnswered({ question, answer: data });
  return {
    answered,
    error: read.error,
    /** What is shown answers an earlier question. */
    isStale: answered !== null && answered.question !== question,
    /** The service answers others first; it is asked again by itself. */
    isQueued: read.isFetching && isBusy(read.failureReason),
    retry: () => void read.refetch(),
  };
}
