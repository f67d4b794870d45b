import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { written } from './support/code.ts';
import { accepted, channels, posted, send, write } from './support/composing.ts';
import { fakeDrafts, type FakeDrafts } from './support/drafts.ts';
import { chosen } from './support/pickers.ts';
import type { Answers } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

/** The member of every visit. */
const MIA = 'mia@shop.example';
const ID = '01a1fda0-9b20-7d1e-9a33-51d0aa0e7c01';
const visitWith = (
  drafts: FakeDrafts,
  answers: Answers = {},
  { by = MIA, role = 'marketer' as const }: { by?: string; role?: 'marketer' | 'viewer' } = {},
) =>
  pages.visit({
    role,
    answers: {
      'GET channels': channels('ready'),
      'GET segments': { json: { items: [], nextCursor: null } },
      ...drafts.answersTo(by),
      ...answers,
    },
  });
const saved = (page: Page) => page.getByText(/^Saved \d{1,2}:\d\d$/).waitFor();
const nameOf = (page: Page) => page.getByLabel('Name', { exact: true });
const only = ({ all }: FakeDrafts) => {
  expect(all.size).toBe(1);
  return [...all.values()][0];
};

describe('what is written', () => {
  test('is saved, and survives a reload and another browser', async () => {
    const drafts = fakeDrafts();
    await using first = await visitWith(drafts);
    await using second = await visitWith(drafts);
    await first.open('/compose?segment=loyal');
    await nameOf(first.page).waitFor();
    expect(drafts.all.size).toBe(0);
    await nameOf(first.page).fill('חגיגת קיץ');
    await first.page.getByLabel('Add a tag').fill('sale, ');
    await first.page.getByLabel('Add a tag').press('Enter');
    await first.page.getByLabel('Subject').fill('Only today');
    await saved(first.page);
    await eventually(() =>
      expect(only(drafts)?.content).toEqual({
        name: 'חגיגת קיץ',
        tags: ['sale,'],
        channel: 'EMAIL',
        segment: 'loyal',
        message: { title: 'Only today', body: '' },
        purpose: 'marketing',
      }),
    );
    await injectAxe(first.page);
    expect(await seriousFindings(first.page)).toEqual([]);

    await first.page.reload();
    await second.open(
      new URL(first.page.url()).pathname.replace('/dashboard', '') +
        new URL(first.page.url()).search,
    );
    for (const { page } of [first, second]) {
      await page.getByLabel('Subject').waitFor();
      expect(await nameOf(page).inputValue()).toBe('חגיגת קיץ');
      expect(await page.getByLabel('Subject').inputValue()).toBe('Only today');
      expect(await chosen(page, 'Segment')).toBe('loyal');
      await page.getByRole('button', { name: 'Remove the tag sale,' }).waitFor();
    }
    expect(only(drafts)?.version).toBeGreaterThan(0);
  });

  test('is saved before another page opens; a new campaign begins empty', async () => {
    const drafts = fakeDrafts();
    await using visit = await visitWith(drafts);
    const { page } = visit;
    await visit.open('/compose');
    await nameOf(page).fill('First');
    await page.getByRole('link', { name: '← All campaigns' }).click();
    await page.getByRole('button', { name: 'Drafts' }).click();
    await page.getByRole('link', { name: 'First' }).waitFor();
    await page.goBack();
    await eventually(async () => expect(await nameOf(page).inputValue()).toBe('First'));
    await page.getByRole('link', { name: '← All campaigns' }).click();
    await page.getByRole('link', { name: 'New campaign' }).click();
    await nameOf(page).waitFor();
    expect(await nameOf(page).inputValue()).toBe('');
    await nameOf(page).fill('Second');
    await saved(page);
    await page.goBack();
    await page.getByRole('button', { name: 'Drafts' }).click();
    await page.getByRole('link', { name: 'Second' }).waitFor();
    await page.getByRole('link', { name: 'First' }).click();
    await eventually(async () => expect(await nameOf(page).inputValue()).toBe('First'));

    expect(drafts.all.size).toBe(2);
  });

  test('and cannot be saved is tried again, and not left without a question', async () => {
    const drafts = fakeDrafts();
    await using visit = await visitWith(drafts);
    const { page } = visit;
    drafts.failWith('lost');
    await visit.open('/compose');
    await nameOf(page).fill('Kept');
    await page.getByText('Not saved').waitFor();
    await page.getByRole('link', { name: '← All campaigns' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(await nameOf(page).inputValue()).toBe('Kept');
    drafts.failWith(null);
    await saved(page);

    expect(only(drafts)?.content).toMatchObject({ name: 'Kept' });
  });

  test('beyond the maximum says why it is not saved, and can still be sent', async () => {
    const drafts = fakeDrafts();
    await using visit = await visitWith(drafts, { 'POST campaigns': accepted });
    const { page } = visit;
    drafts.failWith({
      status: 409,
      json: { status: 409, title: 'Conflict', code: 'conflict', detail: 'At most 200 drafts.' },
    });
    await visit.open('/compose');
    await write(page);
    await page.getByText('At most 200 drafts.').waitFor();
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}*`);

    expect(posted(visit)[0]?.query).toEqual({ holdSeconds: '10' });
  });
});

describe('a second editor', () => {
  test('is asked: both versions can be kept, and nothing is overwritten', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { name: 'Sale', channel: 'EMAIL', message: { title: 'A', body: '' } }, MIA);
    await using grace = await visitWith(drafts, {}, { by: 'grace@shop.example' });
    await using mia = await visitWith(drafts);
    for (const { open, page } of [grace, mia]) {
      await open(`/compose?draft=${ID}`);
      await nameOf(page).waitFor();
    }
    await grace.page.getByLabel('Subject').fill('Of Grace');
    await saved(grace.page);
    await eventually(() => expect(drafts.all.get(ID)?.version).toBe(2));
    await mia.page.getByLabel('Subject').fill('Of Mia');
    const question = mia.page.getByRole('dialog', {
      name: 'grace@shop.example changed this draft',
    });
    await question.getByText('They differ in: message.').waitFor();
    await injectAxe(mia.page);
    expect(await seriousFindings(mia.page)).toEqual([]);
    // It has to be answered.
    await mia.page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Keep mine as a new draft' }).click();
    await question.waitFor({ state: 'detached' });
    await saved(mia.page);

    expect(drafts.all.get(ID)).toMatchObject({
      version: 2,
      content: { message: { title: 'Of Grace' } },
    });
    const other = [...drafts.all.values()].find(({ draftId }) => draftId !== ID);
    expect(other?.content).toMatchObject({ name: 'Sale', message: { title: 'Of Mia' } });
    await eventually(() => expect(mia.page.url()).toContain(`draft=${other?.draftId}`));
    expect(await mia.page.getByLabel('Subject').inputValue()).toBe('Of Mia');
  });

  test('who continues with theirs sees their words, and writes on from there', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { channel: 'EMAIL' }, MIA);
    await using visit = await visitWith(drafts);
    const { page } = visit;
    await visit.open(`/compose?draft=${ID}`);
    await nameOf(page).waitFor();
    drafts.write(ID, { channel: 'EMAIL', name: 'Theirs' });
    await nameOf(page).fill('Mine');
    await page.getByRole('button', { name: 'Continue with theirs' }).click();
    expect(await nameOf(page).inputValue()).toBe('Theirs');
    await page.getByLabel('Subject').fill('On');
    await eventually(() => expect(drafts.all.get(ID)?.version).toBe(3));

    expect(only(drafts)?.content).toMatchObject({ name: 'Theirs', message: { title: 'On' } });
  });

  test('whose window is behind by a deleted user does not bring the user back', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { channel: 'EMAIL', recipients: ['ada', 'eve'] }, MIA);
    await using visit = await visitWith(drafts);
    const { page } = visit;
    await visit.open(`/compose?draft=${ID}`);
    await nameOf(page).waitFor();
    drafts.write(ID, { channel: 'EMAIL', recipients: ['eve'] }, 'deletion');
    await nameOf(page).fill('Sale');
    const question = page.getByRole('dialog', {
      name: 'A deleted user was removed from this draft',
    });
    await question.waitFor();
    expect(await question.getByRole('button').allInnerTexts()).toEqual([
      'Continue with that version',
    ]);
    await question.getByRole('button').click();

    expect(await page.getByRole('textbox', { name: 'Recipients' }).inputValue()).toBe('eve');
  });

  test('sees what another window saved, while nothing is written here', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { channel: 'EMAIL', name: 'Before' }, MIA);
    await using visit = await visitWith(drafts);
    const { page } = visit;
    await visit.open(`/compose?draft=${ID}`);
    await nameOf(page).waitFor();
    drafts.write(ID, { channel: 'EMAIL', name: 'After' });

    await eventually(async () => expect(await nameOf(page).inputValue()).toBe('After'), {
      timeoutMs: 30_000,
    });
  });
});

describe('sending', () => {
  const PUSH = {
    channel: 'EMAIL',
    purpose: 'transactional',
    recipients: ['ada'],
    message: { title: 'Hello', body: '<p>Hello</p>' },
  };

  test('names the draft and its newest version', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, PUSH, MIA);
    await using visit = await visitWith(drafts, { 'POST campaigns': accepted });
    const { page } = visit;
    await visit.open(`/compose?draft=${ID}`);
    await page.getByLabel('Subject').fill('Hello again');
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}*`);

    expect(posted(visit)).toMatchObject([
      {
        query: { draftId: ID, draftVersion: '2' },
        body: { ...PUSH, message: { ...PUSH.message, title: 'Hello again' } },
      },
    ]);
    expect(drafts.all.get(ID)?.content).toMatchObject({ message: { title: 'Hello again' } });
  });

  test.each(['changed', 'sent'])(
    'what another editor has %s asks, and sends nothing',
    async (how) => {
      const drafts = fakeDrafts();
      drafts.write(ID, PUSH, MIA);
      await using visit = await visitWith(drafts, {
        'POST campaigns': () => {
          if (how === 'sent') drafts.delete(ID);
          else drafts.write(ID, { ...PUSH, name: 'Theirs' });
          return {
            status: 409,
            json: { status: 409, title: 'Conflict', code: 'conflict', detail: 'Meanwhile.' },
          };
        },
      });
      const { page } = visit;
      await visit.open(`/compose?draft=${ID}`);
      await page.getByLabel('Subject').waitFor();
      await send(page);
      await page
        .getByRole('heading', {
          name: how === 'sent' ? 'This draft is gone' : 'grace@shop.example changed this draft',
        })
        .waitFor();

      expect(posted(visit)).toHaveLength(1);
    },
  );
});

describe('drafts', () => {
  test('are listed among the campaigns, opened and deleted', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { channel: 'SMS', name: 'Сезон', recipients: ['ada', 'eve'] });
    drafts.write(ID.replace('01', '02'), { message: { title: 'Without a name' } });
    await using visit = await visitWith(drafts, {
      'GET campaigns': { json: { items: [], nextCursor: null } },
    });
    const { page } = visit;
    await visit.open('/campaigns');
    await page.getByRole('button', { name: 'Drafts' }).click();
    await page.getByRole('row', { name: /Сезон.*SMS.*2 people.*grace@shop\.example/ }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Сезон' }).click();
    await page.getByRole('button', { name: 'Delete draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete draft' }).click();
    await page.getByText('Draft deleted').waitFor();
    await page.getByRole('link', { name: 'Without a name' }).waitFor();

    expect(await page.getByRole('link', { name: 'Сезон' }).count()).toBe(0);
    expect(drafts.all.has(ID)).toBe(false);
  });

  test('are read by a viewer, who cannot write them', async () => {
    const drafts = fakeDrafts();
    drafts.write(ID, { channel: 'SMS', message: { body: 'Words of a draft' } });
    await using visit = await visitWith(drafts, {}, { role: 'viewer' });
    await visit.open(`/compose?draft=${ID}`);
    await visit.page.getByText('Words of a draft').waitFor();

    expect(await visit.page.getByRole('textbox').count()).toBe(0);
  });

  test('are made from the list of campaigns, by the keyboard too', async () => {
    const drafts = fakeDrafts();
    await using visit = await visitWith(drafts, {
      'GET campaigns': {
        json: { items: [buildCampaign({ counts: { successful: 1 } })], nextCursor: null },
      },
      'POST drafts': () => ({ status: 201, json: drafts.write(ID, { name: 'Copied' }, MIA) }),
    });
    const { page } = visit;
    await visit.open('/campaigns');
    await page.getByRole('button', { name: 'Duplicate' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/compose?*draft=${ID}*`);

    await eventually(async () => expect(await nameOf(page).inputValue()).toBe('Copied'));
  });

  test('that are gone are said to be gone', async () => {
    await using visit = await visitWith(fakeDrafts());
    await visit.open(`/compose?draft=${ID}`);

    await visit.page.getByRole('heading', { name: 'This draft is gone' }).waitFor();
  });

  test('are made of a campaign, with its words, name and tags', async () => {
    const drafts = fakeDrafts();
    const campaign = buildCampaign({ counts: { successful: 1 } });
    await using visit = await visitWith(drafts, {
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
      'POST drafts': ({ body }) => {
        expect(body).toEqual({ campaignId: CAMPAIGN_ID });
        const content = {
          name: 'Sent',
          tags: ['sale'],
          channel: 'SMS',
          message: { body: 'Words' },
          recipients: ['ada'],
        };
        return { status: 201, json: drafts.write(ID, content, MIA) };
      },
    });
    const { page } = visit;
    await visit.open(`/campaigns/${CAMPAIGN_ID}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.waitForURL(`**/compose?*draft=${ID}*`);
    await nameOf(page).waitFor();

    expect(await nameOf(page).inputValue()).toBe('Sent');
    expect(await written(page.getByLabel('Text'))).toBe('Words');
    await page.getByRole('button', { name: 'Remove the tag sale' }).waitFor();
  });
});
