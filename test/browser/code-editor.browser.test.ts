import { describe, expect, test } from '@jest/globals';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { MemberRole } from '@tidings/contracts/members';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { written } from './support/code.ts';
import type { Answer, Answers } from './support/answer-calls.ts';
import { estimate, SEGMENT_ANSWERS } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';
import type { WindowOptions } from './support/windows.ts';

const pages = usePages();

const faulty = (...errors: readonly FieldError[]): Answer => ({
  status: 400,
  json: {
    type: 'about:blank',
    title: 'It failed',
    status: 400,
    code: 'validation_failed',
    requestId: 'r',
    errors,
  },
});
const stored = {
  slug: 'welcome',
  name: 'Welcome',
  channel: 'EMAIL',
  message: { title: 'Hello', body: '<p>Hello</p>\n<p>سلام</p>\nسلام' },
  variants: [],
  version: 3,
  createdAt: 1,
  updatedAt: 1,
  updatedBy: 'member:mia@shop.example',
};
const ANSWERS: Answers = {
  ...SEGMENT_ANSWERS,
  'GET templates': { json: { items: [], nextCursor: null } },
  'GET templates/welcome': { json: stored },
  'POST templates/preview': { json: { variables: [], warnings: [] } },
};
const visitAs = (role: MemberRole, answers: Answers = {}, options: WindowOptions = {}) =>
  pages.visit({ role, answers: { ...ANSWERS, ...answers } }, options);
const LABEL = 'HTML or text';
const CODE_FILE = '**/code-field-*.js';

describe('a code editor', () => {
  test.each(['light', 'dark'] as const)(
    'has its label, its fault and its colours, and obeys the policy of the page: %s',
    async (colorScheme) => {
      await using visit = await visitAs(
        'owner',
        {
          'POST templates/preview': faulty({
            pointer: '/message/body',
            code: 'template_syntax',
            expected: 'a filter that exists',
            line: 2,
            column: 4,
          }),
        },
        { colorScheme },
      );
      const { page } = visit;
      const refused: string[] = [];
      page.on('console', (message) => {
        if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text());
      });
      await visit.open('/templates/welcome');
      const field = page.getByRole('textbox', { name: LABEL });
      await field.and(page.locator('.cm-content')).waitFor();
      const fault = 'Line 2, column 4: The template cannot be read: expected a filter that exists.';
      await page.locator('.fault').waitFor();

      expect(await page.locator('.fault').innerText()).toBe('سلام</p>');
      expect(await page.locator('.fault').getAttribute('title')).toBe(fault);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await field.getAttribute('aria-description')).toBe(fault);
      const colourOf = (text: string) =>
        page
          .locator('.cm-line span', { hasText: text })
          .first()
          .evaluate((element) => getComputedStyle(element).color);
      expect(await colourOf('p')).not.toBe(
        await field.evaluate((element) => getComputedStyle(element).color),
      );
      await injectAxe(page);
      expect(await seriousFindings(page)).toEqual([]);
      expect(refused).toEqual([]);
    },
  );

  test('gets the focus by a press on its label, gives it to the next field by Tab, and undoes', async () => {
    await using visit = await visitAs('owner');
    const { page } = visit;
    await visit.open('/templates/welcome');
    const field = page.getByRole('textbox', { name: LABEL });
    await page.locator('code-field').waitFor();
    await page.getByText(LABEL, { exact: true }).click();
    await page.locator('code-field :focus').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('n?');
    expect(await written(field)).toMatch(/^n\?<p>Hello/);
    await page.keyboard.press('Control+z');
    await eventually(async () => expect(await written(field)).toMatch(/^<p>Hello/));
    await page.keyboard.press('Tab');
    await page
      .getByRole('combobox', { name: /^Format/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.locator('code-field :focus').waitFor();
  });

  test('has what is typed, and closes nothing itself', async () => {
    await using visit = await visitAs('owner');
    const { page } = visit;
    await visit.open('/templates/welcome');
    const field = page.getByRole('textbox', { name: LABEL });
    await page.locator('code-field').waitFor();
    const typed = '<div class="a"><p>Hello</p><br/></div>{% if user.city %}x{% endif %}{}';
    await field.press('Control+a');
    await page.keyboard.type(typed);
    expect(await written(field)).toBe(typed);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('%%');

    expect(await written(field)).toBe(`${typed.slice(0, -2)}{%%}`);
  });

  test('begins each line at the side of its first letter', async () => {
    await using visit = await visitAs('owner');
    const { page } = visit;
    await visit.open('/templates/welcome');
    await page.locator('.cm-line').nth(2).waitFor();

    expect(
      await page
        .locator('.cm-line')
        .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).direction)),
    ).toEqual(['ltr', 'ltr', 'rtl']);
  });

  test('is read only for roles that may not change it', async () => {
    await using visit = await visitAs('viewer');
    const { page } = visit;
    await visit.open('/templates/welcome');
    await page.locator('code-field').waitFor();

    expect(await page.locator('code-field .cm-content').getAttribute('contenteditable')).toBe(
      'false',
    );
  });

  test('is a text area with the same text until it is there, and takes the focus and the choice over', async () => {
    await using visit = await visitAs('owner', {}, { isOwn: true });
    const { page } = visit;
    let load = (): void => undefined;
    const isWanted = new Promise<void>((resolve) => (load = resolve));
    await page.route(CODE_FILE, async (route) => {
      await isWanted;
      await route.continue();
    });
    await visit.open('/templates/welcome');
    const field = page.getByRole('textbox', { name: LABEL });
    await field.and(page.locator('textarea')).fill('<b>Words</b>');
    await field.press('Control+a');
    load();
    await page.locator('code-field :focus').waitFor();
    expect(await written(field)).toBe('<b>Words</b>');
    await page.keyboard.type('Others');
    expect(await written(field)).toBe('Others');
    await page.getByRole('button', { name: 'Save' }).waitFor();
  });

  test('stays a text area if it cannot be loaded', async () => {
    await using visit = await visitAs(
      'owner',
      { 'PUT templates/welcome': { json: { ...stored, warnings: [] } } },
      { isOwn: true },
    );
    const { page, calls } = visit;
    await page.route(CODE_FILE, (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await visit.open('/templates/welcome');
    await failed;
    await page.getByRole('textbox', { name: LABEL }).fill('<b>Words</b>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();

    expect(calls.find(({ name }) => name === 'PUT templates/welcome')?.body).toMatchObject({
      message: { body: '<b>Words</b>' },
    });
    expect(await page.locator('code-field').count()).toBe(0);
  });
});

test('JSON has each fault of the service at its line, also what fields cannot show', async () => {
  const errors = [
    { pointer: '/condition/all/0/event', code: 'invalid_value' },
    { pointer: '/condition/all/1/feld', code: 'exactly_one_of' },
  ] as const;
  await using visit = await visitAs('owner', {
    'POST segments/preview': ({ body }) =>
      JSON.stringify(body).includes('nosuch') ? faulty(...errors) : estimate(3),
  });
  const { page } = visit;
  await visit.open('/new-segment');
  await page.getByRole('button', { name: 'JSON' }).click();
  const field = page.getByLabel('Condition as JSON');
  await page.locator('code-field').waitFor();
  await field.fill('{"all": [\n  {"event": "nosuch"},\n  {"feld": 1}\n]}');
  await page.getByText(/^Line 2: .*\nLine 3: /).waitFor();

  expect(await page.locator('.fault').allInnerTexts()).toEqual(['"event": "nosuch"', '"feld": 1']);
  await field.fill('{"all": [\n  {"event": "qwert"}\n');
  await page.getByText('Line 3: Not valid JSON: it ends too early.').waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});
