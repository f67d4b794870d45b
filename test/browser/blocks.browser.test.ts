import { describe, expect, test } from '@jest/globals';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import type { Block } from '@tidings/web/src/api/types.ts';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { written } from './support/code.ts';
import type { Answer, Answers, Call } from './support/answer-calls.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const list = (...items: readonly unknown[]): Answer => ({ json: { items, nextCursor: null } });
const footer: Block = {
  slug: 'footer',
  name: 'Footer',
  html: '<p>Shop Ltd, {{ user.city }}</p>',
  text: 'Shop Ltd',
  version: 3,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
  usedBy: ['news', 'welcome'],
};
const stop: Block = { ...footer, slug: 'stop', name: 'Stop', html: null, usedBy: [] };
const template = (slug: string, name: string) => ({
  slug,
  name,
  channel: 'EMAIL',
  message: { title: 'Hi', body: '<p>{% block "footer" %}' },
  variants: [],
  blocks: [{ slug: 'footer', version: 3 }],
  version: 1,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
});
const { slug: _slug, usedBy: _uses, updatedAt: _at, updatedBy, ...said } = footer;
const ANSWERS: Answers = {
  'GET templates': list(template('news', 'News'), template('welcome', 'ברוכים הבאים')),
  'GET blocks': list(footer, stop),
  'GET blocks/footer': { json: footer },
  'GET blocks/stop': { json: stop },
  'GET blocks/footer/versions': list(
    { ...said, createdBy: updatedBy },
    { ...said, version: 2, text: 'Shop', createdBy: updatedBy },
  ),
  'POST templates/preview': { json: { variables: [], warnings: [] } },
};
const visitAs = (role: MemberRole, answers: Answers = {}) =>
  pages.visit({ role, answers: { ...ANSWERS, ...answers } });
const bodies = (calls: readonly Call[], name: string): unknown[] =>
  calls.filter((call) => call.name === name).map(({ body }) => body);
const problem = (status: number, errors: readonly object[] = []): Answer => ({
  status,
  json: {
    type: 'about:blank',
    title: 'It failed',
    detail: 'It failed.',
    status,
    code: status === 409 ? 'conflict' : 'validation_failed',
    requestId: 'r',
    errors,
  },
});

test('a marketer finds blocks beside the templates, and writes one', async () => {
  let created: Block | null = null;
  await using visit = await visitAs('marketer', {
    'GET blocks': () => (created === null ? list() : list(created)),
    'GET blocks/*': () => ({ json: created }),
    'PUT blocks/*': ({ body }) => {
      created = { ...stop, ...(body as object), slug: 'terms-of-sale', version: 1 };
      return { json: created };
    },
  });
  const { page, calls } = visit;
  await visit.open('/templates');
  await page.getByRole('button', { name: 'Blocks' }).click();
  await page.getByRole('heading', { name: 'No blocks yet' }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByRole('link', { name: 'New block' }).first().click();
  await page.getByText('Required: a name, HTML or plain text').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Terms of sale');
  await page.getByText('terms-of-sale').waitFor();
  await page.getByLabel('Plain text').fill('Our terms: shop.example/terms');
  await page.getByRole('button', { name: 'Create block' }).click();

  await page.getByRole('heading', { name: 'Terms of sale' }).waitFor();
  await page.getByText('Not used yet').waitFor();
  expect(bodies(calls, 'PUT blocks/terms-of-sale')).toEqual([
    {
      name: 'Terms of sale',
      html: null,
      text: 'Our terms: shop.example/terms',
      expectedVersion: 0,
    },
  ]);
});

describe('a block that templates use', () => {
  test('says which ones, and that they change with it', async () => {
    await using visit = await visitAs('marketer', {
      'PUT blocks/footer': { json: { ...footer, version: 4 } },
    });
    const { page, calls } = visit;
    await visit.open('/templates?show=blocks');
    await page.getByRole('row').filter({ hasText: 'Footer' }).getByText('2 templates').waitFor();
    await page.getByRole('link', { name: 'Footer' }).click();
    await page.getByRole('heading', { name: 'Used by 2 templates' }).waitFor();
    await page.getByRole('link', { name: 'ברוכים הבאים' }).waitFor();
    await page.getByText('Changes 2 templates as well').waitFor();
    await page.getByText('{% block "footer" %}').waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByLabel('HTML', { exact: true }).fill('<p>Shop Inc</p>');
    await page.frameLocator('iframe[title="E-mail"]').getByText('Shop Inc').waitFor();
    await page.getByRole('button', { name: 'Plain text' }).click();
    await page.frameLocator('iframe[title="E-mail"]').getByText('Shop Ltd').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Block saved').waitFor();

    expect(bodies(calls, 'PUT blocks/footer')).toEqual([
      { name: 'Footer', html: '<p>Shop Inc</p>', text: 'Shop Ltd', expectedVersion: 3 },
    ]);
  });

  test('is not saved if it would break one, and says where', async () => {
    await using visit = await visitAs('marketer', {
      'PUT blocks/footer': problem(400, [
        {
          pointer: '/text',
          code: 'too_long',
          expected: 'at most 20 characters, in the template news: title',
        },
      ]),
    });
    const { page } = visit;
    await visit.open('/templates/blocks/footer');
    await page.getByRole('button', { name: 'Save' }).click();

    await page.getByText('at most 20 characters, in the template news: title').waitFor();
    expect(await page.getByLabel('Plain text').getAttribute('aria-invalid')).toBe('true');
  });

  test('shows a fault while it is written, each at its text', async () => {
    await using visit = await visitAs('marketer', {
      'POST templates/preview': ({ body }) => {
        const { message } = body as { readonly message: { readonly body: string } };
        return message.body.includes('nope')
          ? problem(400, [
              {
                pointer: '/message/body',
                code: 'unknown_variable',
                expected: 'one of user, campaign',
                line: 1,
                column: 4,
              },
            ])
          : { json: { variables: [], warnings: [] } };
      },
    });
    const { page } = visit;
    await visit.open('/templates/blocks/footer');
    await page.getByLabel('HTML', { exact: true }).fill('<p>{{ nope }}</p>');

    await page.getByText(/Line 1, column 4: .*one of user, campaign/).waitFor();
    expect(await page.getByLabel('HTML', { exact: true }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    expect(await page.getByLabel('Plain text').getAttribute('aria-invalid')).toBeNull();
  });

  test('that was changed meanwhile is not overwritten', async () => {
    let now = footer;
    await using visit = await visitAs('marketer', {
      'GET blocks/footer': () => ({ json: now }),
      'PUT blocks/footer': problem(409),
    });
    const { page } = visit;
    await visit.open('/templates/blocks/footer');
    await page.getByLabel('Plain text').fill('Mine');
    now = { ...footer, version: 4, text: 'Of another' };
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Reload and discard my changes' }).click();

    await eventually(async () =>
      expect(await written(page.getByLabel('Plain text'))).toBe('Of another'),
    );
  });

  test('cannot be deleted, and says which templates use it', async () => {
    await using visit = await visitAs('owner');
    const { page, calls } = visit;
    await visit.open('/templates/blocks/footer');
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('can’t be deleted while it is used').waitFor();
    await dialog.getByRole('link', { name: 'News' }).waitFor();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(calls.filter(({ name }) => name.startsWith('DELETE'))).toEqual([]);
  });

  test('keeps its versions', async () => {
    await using visit = await visitAs('viewer');
    await visit.open('/templates/blocks/footer?tab=versions');

    const rows = visit.page.getByRole('row').filter({ hasText: 'mia@shop.example' });
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2);
  });
});

test('a block that nothing uses is deleted after a question', async () => {
  await using visit = await visitAs('owner', { 'DELETE blocks/stop': { status: 204, json: null } });
  const { page } = visit;
  await visit.open('/templates/blocks/stop');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();

  await page.getByText('Block deleted').waitFor();
  await page.getByRole('row').filter({ hasText: 'Footer' }).waitFor();
});

test.each(MEMBER_ROLES)('%s may do only what the role permits', async (role) => {
  await using visit = await visitAs(role);
  const { page } = visit;
  await visit.open('/templates/blocks/footer');
  await page.getByRole('heading', { name: 'Used by 2 templates' }).waitFor();
  const may = role === 'owner' || role === 'admin' || role === 'marketer';

  expect({
    save: await page.getByRole('button', { name: 'Save', exact: true }).count(),
    delete: await page.getByRole('button', { name: 'Delete', exact: true }).count(),
    edit: await page.getByLabel('Name', { exact: true }).isEnabled(),
    isRefused: role === 'viewer' && bodies(visit.calls, 'POST templates/preview').length > 0,
  }).toEqual({ save: may ? 1 : 0, delete: may ? 1 : 0, edit: may, isRefused: false });
});

test('a block that does not exist is said to be so', async () => {
  await using visit = await visitAs('owner');
  await visit.open('/templates/blocks/nosuch');

  await visit.page.getByRole('heading', { name: 'There is no block with this slug' }).waitFor();
});

test('a block is inserted into a template at the cursor', async () => {
  await using visit = await visitAs('marketer', {
    'GET templates/news': { json: template('news', 'News') },
    'PUT templates/news': { json: { ...template('news', 'News'), warnings: [] } },
  });
  const { page, calls } = visit;
  await visit.open('/templates/news');
  await page.getByLabel('Subject').fill('Hi ');
  await page.getByRole('button', { name: 'Insert block' }).click();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Template saved').waitFor();

  expect(bodies(calls, 'PUT templates/news')).toMatchObject([
    { message: { title: 'Hi {% block "stop" %}' } },
  ]);
});
