import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import type { Answer, Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const HOUR_MS = 3_600_000;
/** UTC+5:45: hours begin at a quarter past a UTC hour. The viewer is in Berlin. */
const timeZone = 'Asia/Kathmandu';
const FIRST = Date.parse('2026-06-01T17:15Z');
const items = Array.from({ length: 24 }, (_, index) => ({
  at: FIRST + index * HOUR_MS,
  events: index,
  revenue: { EUR: index / 2 },
}));
const DEFINITION = {
  slug: 'qwert',
  name: 'item_viewed',
  kind: 'action',
  origin: 'auto',
  discarded: false,
  createdAt: FIRST,
  events: 300,
  eventsLastDay: 276,
  lastReceivedAt: FIRST,
};
const chart = { timeZone, items, outside: 12, byArrival: 0, countedFrom: null };
const overview = LONG_ANSWERS['GET overview'] as { readonly json: object };

const answers: Answers = {
  ...LONG_ANSWERS,
  'GET overview': {
    json: { ...overview.json, events: { timeZone, perHour: items, countedFrom: null } },
  },
  'GET definitions/qwert': { json: { ...DEFINITION, samples: [] } },
  'GET definitions/qwert/chart': { json: chart },
  'GET revenue': {
    json: { ...chart, currencies: [{ currency: 'EUR', events: 276, revenue: 138 }], byArrival: 1 },
  },
};
const open = async (path: string, own: Answers = {}) => {
  const visit = await pages.visit({ role: 'owner', answers: { ...answers, ...own } });
  await visit.open(path);
  return visit;
};
/** The rows of the table that screen readers get instead of the chart. */
const readRows = (page: Page, caption: string) =>
  page.getByRole('table', { name: caption }).getByRole('row').allInnerTexts();

test.each([
  ['/', 'Events, events per hour, by event time in Asia/Kathmandu'],
  ['/events/qwert?span=24h', 'Events of item_viewed, events, by event time in Asia/Kathmandu'],
  ['/events?tab=revenue&span=24h', 'Revenue in EUR, EUR, by event time in Asia/Kathmandu'],
])(
  'the chart at %s uses event time in the time zone of the application, and names it on the axis',
  async (path, caption) => {
    await using visit = await open(path);
    const { page } = visit;

    await page.getByText('Event time, Asia/Kathmandu', { exact: true }).waitFor();

    const [head, first, second] = await readRows(page, caption);
    expect(head).toMatch(/^Time/);
    expect([first, second].map((row) => row?.split('\t')[0])).toEqual([
      '01/06/2026, 23:00:00',
      '02/06/2026, 00:00:00',
    ]);
    expect(await page.getByText(/^Arrival time, /).count()).toBe(0);
  },
);

test('only the ingest log has a chart by arrival time, and says so', async () => {
  await using visit = await open('/ingest');
  const { page } = visit;

  await page.getByText('Incoming events, by arrival time', { exact: true }).click();

  await page.getByText('Arrival time, Europe/Berlin', { exact: true }).waitFor();
  expect(await page.getByText(/^Event time, /).count()).toBe(0);
});

test('a chart shows how many events are not charted, and how many are shown by arrival time', async () => {
  await using definition = await open('/events/qwert?span=24h');
  await definition.page
    .getByText('12 events not charted: event time more than 400 days before or 1 day after arrival')
    .waitFor();
  expect(await definition.page.getByText('shown by arrival time').count()).toBe(0);

  await using revenue = await open('/events?tab=revenue&span=24h');
  await revenue.page.getByText('1 older event is shown by arrival time').waitFor();
});

test.each([
  [
    '/events/qwert?span=24h',
    'GET definitions/qwert/chart',
    'No events counted in this period yet',
    'No events in this period',
  ],
  [
    '/events?tab=revenue&span=24h',
    'GET revenue',
    'No revenue counted in this period yet',
    'No revenue in this period',
  ],
])('%s says which older events are still being counted', async (path, name, yet, none) => {
  const answer = {
    ...chart,
    currencies: [],
    items: items.map(({ at }) => ({ at, events: 0, revenue: {} })),
  };
  await using counting = await open(path, {
    [name]: { json: { ...answer, countedFrom: FIRST } },
  });
  await counting.page.getByRole('heading', { name: yet }).waitFor();
  await counting.page.getByText(/^Events before .+ are still being counted\./).waitFor();

  await using counted = await open(path, { [name]: { json: answer } });
  await counted.page.getByRole('heading', { name: none }).waitFor();
  expect(await counted.page.getByText('still being counted').count()).toBe(0);
});

test('the overview shows the counting notice only if it concerns the last 24 hours', async () => {
  const perHour = items.map(({ at }) => ({ at, events: 0 }));
  const at = (countedFrom: number) =>
    open('/', {
      'GET overview': { json: { ...overview.json, events: { timeZone, perHour, countedFrom } } },
    });
  await using counting = await at(FIRST);
  await counting.page.getByText('No events of the last 24 hours are counted yet.').waitFor();
  await counting.page.getByText(/^Events before .+ are still being counted\./).waitFor();

  await using counted = await at(FIRST - 24 * HOUR_MS);
  await counted.page.getByText('No events in the last 24 hours.').waitFor();
  expect(await counted.page.getByText('still being counted').count()).toBe(0);
});

test('an empty chart still shows how many events are not charted', async () => {
  const none: Answer = {
    json: { ...chart, items: items.map(({ at }) => ({ at, events: 0, revenue: {} })) },
  };
  await using visit = await open('/events/qwert?span=24h', { 'GET definitions/qwert/chart': none });

  await visit.page.getByRole('heading', { name: 'No events in this period' }).waitFor();
  await visit.page.getByText('12 events not charted').waitFor();
});

test.each([
  ['24h', { step: 'hour', points: '24' }],
  ['30d', { step: 'day', points: '30' }],
])('pages request the points of %s and show the returned ones', async (span, query) => {
  await using definition = await open(`/events/qwert?span=${span}`);
  await definition.page.getByText('Event time, Asia/Kathmandu', { exact: true }).waitFor();
  expect(
    definition.calls.find(({ name }) => name === 'GET definitions/qwert/chart')?.query,
  ).toEqual(query);
  expect(
    await readRows(
      definition.page,
      'Events of item_viewed, events, by event time in Asia/Kathmandu',
    ),
  ).toHaveLength(25);

  await using revenue = await open(`/events?tab=revenue&span=${span}`);
  await revenue.page.getByText('Event time, Asia/Kathmandu', { exact: true }).waitFor();
  expect(revenue.calls.find(({ name }) => name === 'GET revenue')?.query).toEqual(query);
});

test.each(['en-US@posix', ''])(
  'a chart is drawn although the language of the browser is not valid: %j',
  async (language) => {
    await using visit = await pages.visit({ role: 'owner', answers }, { isOwn: true });
    const { page } = visit;
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'language', { get: () => ${JSON.stringify(language)} });`,
    );
    await visit.open('/');
    await page.getByText('Event time, Asia/Kathmandu', { exact: true }).waitFor();
    await page.locator('.chart canvas').waitFor();

    expect(faults).toEqual([]);
  },
);
