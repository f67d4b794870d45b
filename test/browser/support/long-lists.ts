import type { Answer, Answers } from './answer-calls.ts';

/** More rows than a table renders at once: long tables have a different column layout. */
const ROWS = 100;
/** Fields that identify a row in one of the lists. */
const KEYS = [
  'id',
  'campaignId',
  'draftId',
  'deliveryId',
  'requestId',
  'customUserId',
  'slug',
  'seq',
  'channel',
  'address',
] as const;

type Row = Readonly<Record<string, unknown>>;

/** The same responses with each list repeated to 100 rows. The first rows are unchanged. */
export function lengthenLists(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      typeof answer === 'object' ? lengthenAnswer(answer) : answer,
    ]),
  );
}

function lengthenAnswer(answer: Exclude<Answer, string>): Answer {
  const { items } = answer.json as { readonly items?: readonly Row[] };
  if (items === undefined || items.length === 0) return answer;
  const rows = Array.from({ length: Math.max(ROWS, items.length) }, (_, index) =>
    copyRow(items[index % items.length] ?? {}, Math.floor(index / items.length)),
  );
  return { ...answer, json: { ...(answer.json as object), items: rows } };
}

function copyRow(row: Row, copy: number): Row {
  if (copy === 0) return row;
  const keys = KEYS.filter((key) => typeof row[key] === 'string');
  // A channel identifies a row only where nothing else does: there are no others than the known ones.
  const named = keys.filter((key) => key !== 'channel' || keys.length === 1);
  return {
    ...row,
    ...Object.fromEntries(named.map((key) => [key, `${String(row[key])}${copy}`])),
  };
}
