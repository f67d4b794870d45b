import { describe, expect, test } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { CAMPAIGN_ID } from './support/campaigns.ts';
import { accepted, listPeople, posted, previewFor, send } from './support/composing.ts';
import type { Answers, Call } from './support/answer-calls.ts';
import { choose, chosen, offered, picker } from './support/pickers.ts';
import {
  list,
  preview,
  previewing,
  problem,
  stored,
  TEMPLATE_ANSWERS,
} from './support/templates.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitAs = (role: MemberRole, answers: Answers = {}) =>
  pages.visit({ role, answers: { ...TEMPLATE_ANSWERS, ...answers } });
const bodies = (calls: readonly Call[], name: string): unknown[] =>
  calls.filter((call) => call.name === name).map(({ body }) => body);

test('a marketer writes a template, mends a fault, previews it for users, and sends it', async () => {
  let created = false;
  await using visit = await visitAs('marketer', {
    'GET templates': () => (created ? list(stored) : list()),
    'POST templates/preview': previewing,
    'PUT templates/welcome': () => {
      created = true;
      return { json: { ...stored, warnings: [] } };
    },
    'POST campaigns': accepted,
  });
  const { page, calls } = visit;
  await visit.open('/templates');
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  await page.getByRole('link', { name: 'New template' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Welcome');
  const subject = page.getByLabel('Subject');
  await subject.fill('Hello {{ user.firstName | upper }}');
  await page.getByLabel('HTML or text').fill('<p>Hello</p>');
  await page
    .getByText('Line 1, column 7: The template cannot be read: expected a filter that exists.')
    .waitFor();
  expect(await subject.getAttribute('aria-invalid')).toBe('true');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);

  await subject.fill('Hello {{ user.firstName | upcase }}');
  await page.getByRole('listitem').filter({ hasText: 'user.firstName' }).waitFor();
  expect(await subject.getAttribute('aria-invalid')).toBeNull();
  await previewFor(page, 'bob');
  await page.getByText('No message for bob: user.firstName is missing.').waitFor();
  await page.getByText('The same holds for recipients of a campaign.').waitFor();
  await previewFor(page, 'unknown');
  await page.getByText('No user with this ID is registered.').waitFor();
  await previewFor(page, 'ada');
  await page.getByText('Hello ADA').waitFor();
  await page.getByRole('button', { name: 'Create template' }).click();
  await page.getByText('Template saved').waitFor();
  expect(bodies(calls, 'PUT templates/welcome')).toEqual([
    {
      name: 'Welcome',
      channel: 'EMAIL',
      message: { title: 'Hello {{ user.firstName | upcase }}', body: '<p>Hello</p>' },
      variants: [],
      expectedVersion: 0,
    },
  ]);

  await page.getByRole('link', { name: 'Send it' }).click();
  await page.getByText('Preview of Welcome').waitFor();
  await listPeople(page, 'ada');
  await choose(page, 'Purpose', 'Transactional');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await send(page);
  await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);
  expect(posted(visit)[0]?.body).toEqual({
    recipients: ['ada'],
    channel: 'EMAIL',
    template: 'welcome',
    purpose: 'transactional',
  });
});

describe('a template', () => {
  test('that was changed meanwhile is not overwritten, and can be read again', async () => {
    let isChanged = false;
    await using visit = await visitAs('admin', {
      'GET templates/welcome': () => ({
        json: isChanged ? { ...stored, name: 'Of another', version: 4 } : stored,
      }),
      'PUT templates/welcome': ({ body }) => {
        isChanged = true;
        return (body as { expectedVersion: number }).expectedVersion === 3
          ? problem(409)
          : { json: { ...stored, version: 5, warnings: [] } };
      },
    });
    const { page, calls } = visit;
    await visit.open('/templates/welcome');
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It failed with 409.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Reload and discard my changes' }).click();
    await page.getByText('It failed with 409.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Of another');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();

    expect(bodies(calls, 'PUT templates/welcome')).toMatchObject([
      { name: 'Mine', expectedVersion: 3 },
      { name: 'Of another', expectedVersion: 4 },
    ]);
  });

  test('keeps its versions, and one of them can be sent', async () => {
    await using visit = await visitAs('owner');
    const { page } = visit;
    await visit.open('/templates/welcome?tab=versions');
    await page.getByRole('button', { name: 'Version 2' }).click();
    await page.getByRole('dialog').getByText('mia@shop.example').waitFor();
    await page.getByRole('link', { name: 'Send this version' }).click();
    await page.getByLabel('Version', { exact: true }).waitFor();

    await picker(page, 'Template').getByText('Welcome', { exact: true }).waitFor();
    await picker(page, 'Version').getByText('Always 2', { exact: true }).waitFor();
    await page.getByText('Preview of Old').waitFor();
  });

  test.each(MEMBER_ROLES)('offers %s only what the role permits', async (role) => {
    await using visit = await visitAs(role);
    const { page } = visit;
    await visit.open('/templates/welcome');
    await page.getByLabel('Subject').waitFor();
    const count = (name: string) => page.getByRole('button', { name, exact: true }).count();
    const may = role === 'owner' || role === 'admin' || role === 'marketer' ? 1 : 0;
    const mayPreview = role === 'viewer' ? 0 : 1;

    expect({
      save: await count('Save'),
      delete: await count('Delete'),
      send: await page.getByRole('link', { name: 'Send it' }).count(),
      edit: (await page.getByLabel('Subject').isEnabled()) ? 1 : 0,
      preview: await page.getByLabel('Preview for').count(),
      variables: await page.getByRole('heading', { name: 'Variables' }).count(),
      isRefused: role === 'viewer' && bodies(visit.calls, 'POST templates/preview').length > 0,
    }).toEqual({
      save: may,
      delete: may,
      send: may,
      edit: may,
      preview: mayPreview,
      variables: mayPreview,
      isRefused: false,
    });
  });

  test('that does not exist is said to be so', async () => {
    await using visit = await visitAs('owner');
    await visit.open('/templates/nosuch');

    await visit.page
      .getByRole('heading', { name: 'There is no template with this slug' })
      .waitFor();
  });
});

describe('composing', () => {
  test('takes the channel of the template that the address names', async () => {
    await using visit = await visitAs('marketer', { 'POST campaigns': accepted });
    const { page } = visit;
    await visit.open('/compose?template=code');
    await page.getByText('Preview of').waitFor();

    expect(await chosen(page, 'Channel')).toBe('SMS');
    expect(await offered(page, 'Template')).toEqual(['Choose…', 'Code']);
    // Another channel has other templates.
    await choose(page, 'Channel', 'E-mail');
    expect(await chosen(page, 'Template')).toBe('Choose…');
  });

  test('says how many users of a segment lack a value', async () => {
    await using visit = await visitAs('marketer', {
      'POST campaigns': {
        json: {
          dryRun: true,
          channel: 'EMAIL',
          recipients: { segment: 'loyal', count: 4 },
          reachable: 3,
          unrenderable: { 'user.firstName': 2, 'user.city': 0 },
          warnings: [],
        },
      },
    });
    const { page } = visit;
    await visit.open('/compose?template=welcome&segment=loyal');
    await page.getByText('Preview of').waitFor();
    await choose(page, 'Purpose', 'Transactional');
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('2 without user.firstName').waitFor();

    expect(await page.getByText('without user.city').count()).toBe(0);
  });

  test('splits the recipients between templates, and says who lacks a value', async () => {
    await using visit = await visitAs('marketer', {
      'POST campaigns': {
        json: {
          dryRun: true,
          channel: 'EMAIL',
          recipients: { requested: 1, unique: 1 },
          reachable: 1,
          unreachable: {},
          unrenderable: { 'user.firstName': 1, 'user.city': 0 },
          results: [{ customUserId: 'ada', reachable: true }],
          warnings: [],
        },
      },
    });
    const { page } = visit;
    await visit.open('/compose');
    await page.getByRole('button', { name: 'From a template' }).click();
    await choose(page, 'Template', 'Welcome');
    await choose(page, 'Version', 'Always 2');
    await page.getByRole('button', { name: 'Compare with another template' }).click();
    await choose(page, 'Template 2', 'Short one');
    await page.getByLabel('Share 1').fill('70');
    await page.getByLabel('Share 2').fill('30');
    await listPeople(page, 'ada');
    await choose(page, 'Purpose', 'Transactional');
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('1 without user.firstName').waitFor();

    expect(await page.getByText('without user.city').count()).toBe(0);
    expect(posted(visit)[0]?.body).toEqual({
      recipients: ['ada'],
      channel: 'EMAIL',
      split: [
        { template: 'welcome@2', share: 70 },
        { template: 'short', share: 30 },
      ],
      purpose: 'transactional',
      dryRun: true,
    });
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('personalises a message that is written there, and previews it for a user', async () => {
    await using visit = await visitAs('marketer', {
      'POST templates/preview': previewing,
      'POST campaigns': accepted,
    });
    const { page } = visit;
    await visit.open('/compose?to=ada');
    await choose(page, 'Purpose', 'Transactional');
    await page.getByLabel('Subject').fill('Hello {{ user.firstName }}');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    // The value of the user has made it personal.
    await page.getByLabel('Personalise this message').uncheck();
    await page.getByText('Unknown placeholder.').waitFor();
    await page.getByLabel('Personalise this message').check();
    await page.getByText('Unknown placeholder.').waitFor({ state: 'detached' });
    await previewFor(page, 'ada');
    await page.getByText('Hello ADA').waitFor();
    await send(page);
    await page.waitForURL(`**/campaigns/${CAMPAIGN_ID}`);

    expect(posted(visit)[0]?.body).toMatchObject({
      message: { title: 'Hello {{ user.firstName }}', body: '<p>Hello</p>' },
      personalize: true,
    });
  });

  test.each([
    ['HTML', true, '<b>Ada</b>', 'Ada'],
    ['plain text, as which it is sent', false, '<b>Ada</b>', '<b>Ada</b>'],
  ])('shows a rendered mail as %s', async (_what, isHtml, body, shown) => {
    const answer = preview({ variant: null, message: { title: 'Hello ADA', body }, isHtml });
    await using visit = await visitAs('marketer', { 'POST templates/preview': answer });
    const { page } = visit;
    await visit.open('/compose?to=ada');
    await page.getByLabel('Subject').fill('Hello');
    await page.getByLabel('HTML or text').fill('{{ user.firstName }}');
    await page.getByLabel('Personalise this message').check();
    await previewFor(page, 'ada');
    await page.getByText('Hello ADA').waitFor();

    // The frame loads after the words beside it.
    const mail = page.frameLocator('iframe[title="E-mail"]').locator('body');
    await mail.getByText('Ada').waitFor();
    expect(await mail.innerText()).toBe(shown);
  });

  test('marks the field of a fault of a personalised message before it is sent', async () => {
    await using visit = await visitAs('marketer', { 'POST templates/preview': previewing });
    const { page } = visit;
    await visit.open('/compose?to=ada');
    const subject = page.getByLabel('Subject');
    await subject.fill('Hello {{ user.firstName | upper }}');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await page.getByLabel('Personalise this message').check();
    await previewFor(page, 'ada');
    await page.getByText('The message has a fault: see the marked fields.').waitFor();
    await page.getByText(/^Line 1, column 7: The template cannot be read/).waitFor();

    expect(await subject.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Personalise this message').uncheck();
    expect(await subject.getAttribute('aria-invalid')).toBeNull();
    expect(posted(visit)).toEqual([]);
  });
});
