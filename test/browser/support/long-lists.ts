import type { Answer, Answers } from './pages.ts';

/** More rows than a table draws whole: the columns of a long table are laid out by other rules. */
const ROWS = 100;
/** What names a row in one of the lists. */
const KEYS = [
  'id',
  'campaignId',
  'deliveryId',
  'requestId',
  'customUserId',
  'slug',
  'seq',
  'channel',
  'address',
] as const;

type Row = Readonly<Record<string, unknown>>;

/** The same answers, with each list repeated until it is long. The first rows stay as they are. */
export function longListsOf(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      typeof answer === 'object' ? longAnswerOf(answer) : answer,
    ]),
  );
}

function longAnswerOf(answer: Exclude<Answer, string>): Answer {
  const { items } = answer.json as { readonly items?: readonly Row[] };
  if (items === undefined || items.length === 0) return answer;
  const rows = Array.from({ length: Math.max(ROWS, items.length) }, (_, index) =>
    copyOf(items[index % items.length] ?? {}, Math.floor(index / items.length)),
  );
  return { ...answer, json: { ...(answer.json as object), items: rows } };
}

function copyOf(row: Row, copy: number): Row {
  if (copy === 0) return row;
  const named = KEYS.filter((key) => typeof row[key] === 'string').map(
    (key) => [key, `${String(row[key])}${copy}`] as const,
  );
  return { ...row, ...Object.fromEntries(named) };
}
