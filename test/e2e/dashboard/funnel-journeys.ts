import { expect, test } from '@jest/globals';
import { callApi, type ApiAccess } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { send } from '../../browser/support/composing.ts';
import { choose } from '../../browser/support/pickers.ts';
import { LONG_TIMEOUT, type Installation } from './installation.ts';

const HOUR_MS = 3_600_000;

/** From a number of a funnel to a segment and a campaign of its people. */
export function funnelJourneys(installation: () => Installation): void {
  test('who dropped out of a funnel is saved as a segment, and written to', async () => {
    const definition = await twoCollectors(installation());
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(`/new-funnel?funnel=${JSON.stringify(definition)}`);
    await page.getByRole('button', { name: '2 came to step 1' }).waitFor(LONG_TIMEOUT);
    const dropped = page.getByRole('button', { name: '−1 of step 1' });
    await dropped.click();
    await page.getByRole('button', { name: /^collector-1/ }).waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Save as segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Left the stamps', LONG_TIMEOUT);
    await page.getByText(/^1 user$/).waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('link', { name: 'Members' }).click(LONG_TIMEOUT);
    await page.getByRole('link', { name: 'collector-1' }).waitFor(LONG_TIMEOUT);

    await visit.open('/funnels');
    await page.getByRole('link', { name: 'stamp_seen → stamp_bought' }).click(LONG_TIMEOUT);
    await dropped.click(LONG_TIMEOUT);
    await page.getByRole('link', { name: 'Write to them' }).click(LONG_TIMEOUT);
    await choose(page, 'Purpose', 'Transactional');
    await page.getByLabel('Subject').fill('Your stamps');
    await page.getByLabel('HTML or text').fill('<p>They are still there</p>');
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('1 of 1 can be reached by E-mail.').waitFor(LONG_TIMEOUT);
    await send(page);
    await page.getByText('of 1 asked').waitFor(LONG_TIMEOUT);

    // The report has the funnel as it was, by the names of its events.
    await page.getByText(/dropped out of “stamp_seen → stamp_bought” at step 1/).waitFor();
    expect(visit.faults).toEqual([]);
  }, 120_000);
}

/** Two looked at stamps two days ago, one of them bought some: a funnel of a day between. */
async function twoCollectors({ local }: Installation) {
  const { baseUrl } = local;
  const asServer: ApiAccess = {
    baseUrl,
    headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey },
  };
  const asAdmin: ApiAccess = {
    baseUrl,
    headers: {
      'X-Application-Id': local.applicationId,
      Authorization: `Bearer ${local.adminToken}`,
    },
  };
  const define = async (name: string): Promise<string> => {
    const { slug } = await callApi<{ readonly slug: string }>(asAdmin, {
      method: 'POST',
      path: '/api/v1/definitions',
      body: { kind: 'action', name },
    });
    return slug;
  };
  const [seen, bought] = [await define('stamp_seen'), await define('stamp_bought')];
  const now = Date.now();
  const action = (id: string, customName: string, hours: number) => ({
    type: 'action',
    id,
    customName,
    time: now - hours * HOUR_MS,
  });
  for (const [index, done] of [
    [action('seen-0', 'stamp_seen', 48), action('bought-0', 'stamp_bought', 47)],
    [action('seen-1', 'stamp_seen', 48)],
  ].entries())
    await callApi(asServer, {
      method: 'POST',
      path: '/',
      body: {
        customUserId: `collector-${index}`,
        messages: [
          {
            type: 'user',
            id: `user-${index}`,
            time: now,
            email: `collector-${index}@people.example`,
          },
          ...done,
        ],
      },
    });
  const definition = { steps: [{ event: seen }, { event: bought }], window: '1d' };
  await eventually(
    async () =>
      expect(
        await callApi(asServer, {
          method: 'POST',
          path: '/api/v1/funnels/result',
          body: { ...definition, from: now - 72 * HOUR_MS, to: now },
        }),
      ).toMatchObject({ steps: [{ users: 2, dropped: 1 }, { users: 1 }] }),
    { timeoutMs: 30_000 },
  );
  return definition;
}
