import { WORDS, type Words } from '@tidings/contracts';
import { humanize } from '../lib/format.ts';

/** What a code means and what to do about it; of one that is younger than this page, the code as words. */
export function adviceOf(place: keyof typeof WORDS, code: string): Words {
  const words: Readonly<Record<string, Words>> = WORDS[place];
  return words[code] ?? { means: `${humanize(code)}.`, toDo: NOTHING };
}

/** Why a delivery is not sent. */
export const deliveryAdvice = (reason: string): Words => adviceOf('deliveryReason', reason);

/** Why a message was left out, or its request refused. */
export const ingestAdvice = (code: string): Words =>
  adviceOf(code in WORDS.messageReason ? 'messageReason' : 'error', code);

const NOTHING = 'Nothing.';

/** What to do, where there is anything to do. */
export const toDoOf = ({ toDo }: Pick<Words, 'toDo'>): string | null =>
  toDo === NOTHING ? null : toDo;
