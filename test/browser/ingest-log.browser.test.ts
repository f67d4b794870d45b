import { expect, test } from '@jest/globals';
import type { Answer, Answers, Call } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const AT = 1_795_256_516_534;
const REQUEST_ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
const REFUSED = {
  requestId: '01a1fda0-848f-725a-80f0-dd4cca31ca29',
  receivedAt: AT - 86_400_000,
  outcome: 'rejected',
  status: 400,
  code: 'validation_failed',
  path: '/',
  errors: [],
  customUserId: 'ada',
};
const MESSAGE = {
  requestId: REQUEST_ID,
  receivedAt: AT,
  index: 0,
  id: 'u1',
  type: 'user',
  outcome: 'processed',
};

/** A log of `pageCount` pages. Only the last has a row; rejected requests are found immediately. */
const busyLog =
  (pageCount: number) =>
  ({ query }: Call): Answer => {
    if (query['outcome'] === 'rejected') return { json: { items: [REFUSED], nextCursor: null } };
    const page = Number(query['cursor'] ?? 0);
    return page === pageCount - 1
      ? { json: { items: [MESSAGE], nextCursor: null } }
      : { json: { items: [], nextCursor: String(page + 1), lookedBackTo: AT - page * 60_000 } };
  };
const visit = (answers: Answers) => pages.visit({ role: 'developer', answers });
/** The last requested page. */
const furthest = (calls: readonly Call[]) =>
  Math.max(...calls.map(({ query }) => Number(query['cursor'] ?? 0)));

test('a search without matches shows how far back it went, and continues on request', async () => {
  await using visitor = await visit({ 'GET ingest': busyLog(10) });
  const { page, calls } = visitor;
  await visitor.open('/ingest?customUserId=ada');

  await page.getByText('0 rows, searched back to').getByText('11:19:56').waitFor();
  await page.getByRole('heading', { name: 'No matches so far' }).waitFor();
  const before = furthest(calls);
  await page.getByRole('button', { name: 'Search older entries' }).click();
  await page.getByRole('link', { name: 'u1', exact: true }).waitFor();

  expect(before).toBe(2);
  expect(furthest(calls)).toBe(9);
  expect(await page.getByText('1 row', { exact: true }).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Search older entries' }).count()).toBe(0);
});

test('rejected requests of a user are shown immediately, regardless of their age', async () => {
  await using visitor = await visit({ 'GET ingest': busyLog(1_000) });
  const { page } = visitor;
  await visitor.open('/ingest?customUserId=ada');

  await page.getByText('Requests for this user were rejected').waitFor();
  await page.getByRole('link', { name: 'Show rejected requests' }).click();

  await page.getByRole('link', { name: '400 at /', exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe('?customUserId=ada&outcome=rejected');
});

test('a user message stored without its user shows the user of the filter', async () => {
  const detail = ({ query }: Call): Answer => ({
    json:
      query['customUserId'] === 'ada'
        ? {
            ...MESSAGE,
            customUserId: 'ada',
            stored: { type: 'user', id: 'u1', time: AT, firstName: 'Ada' },
          }
        : { ...MESSAGE, stored: null },
  });
  await using visitor = await visit({
    'GET ingest': busyLog(1),
    [`GET ingest/${REQUEST_ID}`]: {
      json: { requestId: REQUEST_ID, receivedAt: AT, complete: true, messages: [MESSAGE] },
    },
    [`GET ingest/${REQUEST_ID}/messages/0`]: detail,
    'GET events': { json: { items: [], nextCursor: null } },
  });
  const { page } = visitor;
  const dialog = page.getByRole('dialog');
  await visitor.open(`/ingest/${REQUEST_ID}?message=0`);
  await dialog.getByText('Not recorded', { exact: true }).waitFor();

  await visitor.open('/ingest?customUserId=ada');
  await page.getByRole('link', { name: 'u1', exact: true }).click();

  await dialog.getByRole('link', { name: 'ada', exact: true }).waitFor();
  await dialog.getByText('"firstName": "Ada"').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('link', { name: '← Ingest log' }).click();
  await page.waitForURL(/\/ingest\?customUserId=ada$/);
});
