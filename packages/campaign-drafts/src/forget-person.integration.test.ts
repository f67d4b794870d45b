import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { createDraft, readDraft, writeDraft, type DraftContent } from './drafts.ts';
import { forgetPersonInDrafts } from './forget-person.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** What is left of a content once a user is forgotten. */
async function forgotten(
  content: DraftContent,
  { customUserId = 'ada', addresses = ['ada@example.org', '+4915112345678'] } = {},
): Promise<{ readonly before: Which; readonly version: number; readonly content: DraftContent }> {
  const { applicationId } = await createTestApplication(db);
  const before = { applicationId, draftId: systemIds.uuid() };
  await createDraft(db, { ...before, content, by: 'member:eve@example.org' });
  await forgetPersonInDrafts(db, { applicationId, customUserId, addresses });
  const draft = await readDraft(db, before);
  return { before, version: draft?.version ?? 0, content: draft?.content ?? {} };
}
type Which = { readonly applicationId: string; readonly draftId: string };

test.each<[string, DraftContent, DraftContent]>([
  ['the id in recipients', { recipients: ['eve', 'ada', 'bob'] }, { recipients: ['eve', 'bob'] }],
  [
    'an address in recipients, in any letter case',
    { recipients: ['eve', 'ADA@example.org', '+4915112345678'] },
    { recipients: ['eve'] },
  ],
  [
    'an address within any text and name of a field',
    {
      message: {
        body: 'To Ada@Example.org!',
        customContent: { 'ada@example.org': ['x ada@example.org'] },
      },
    },
    { message: { body: 'To !', customContent: { '': ['x '] } } },
  ],
])('%s goes', async (_what, content, left) => {
  const { version, content: after } = await forgotten(content);

  expect(after).toEqual(left);
  expect(version).toBe(2);
});

test.each<[string, DraftContent]>([
  [
    'an id that is part of a text',
    { name: 'ada', recipients: ['ada2'], message: { body: 'adage ada' } },
  ],
  ['a longer number', { message: { body: '+491511234567' } }],
  ['what has none of them', { recipients: ['eve'], ttl: 12_345_678_901_234_567_890n }],
])('%s stays, and the version with it', async (_what, content) => {
  const { version, content: after } = await forgotten(content);

  expect(after).toEqual(content);
  expect(version).toBe(1);
});

test('signs of a pattern in an address are only signs, and a short text is no address', async () => {
  const addresses = ['a.*@example.org', '(+49) 151', 'a', ''];

  const { content } = await forgotten(
    { message: { title: 'a.*@example.org (+49) 151', body: 'a abc@example.org' } },
    { addresses },
  );

  expect(content).toEqual({ message: { title: ' ', body: 'a abc@example.org' } });
});

test('an id with quotes and backslashes is found', async () => {
  const customUserId = String.raw`a"b\c`;

  const { content } = await forgotten({ recipients: [customUserId, 'eve'] }, { customUserId });

  expect(content).toEqual({ recipients: ['eve'] });
});

test('a page that has the draft open does not write the user back', async () => {
  const content = { recipients: ['ada', 'eve'] };
  const { before } = await forgotten(content);

  const written = await writeDraft(db, {
    ...before,
    content: { ...content, name: 'Next' },
    expectedVersion: 1,
    by: 'member:eve@example.org',
  });

  expect(written).toMatchObject({
    isMoved: true,
    draft: { content: { recipients: ['eve'] }, updatedBy: 'deletion' },
  });
});

test('drafts of another application stay', async () => {
  const { applicationId } = await createTestApplication(db);
  const { applicationId: other } = await createTestApplication(db);
  const draft = { applicationId: other, draftId: systemIds.uuid() };
  await createDraft(db, { ...draft, content: { recipients: ['ada'] }, by: 'test' });

  await forgetPersonInDrafts(db, { applicationId, customUserId: 'ada', addresses: [] });

  expect(await readDraft(db, draft)).toMatchObject({ content: { recipients: ['ada'] } });
});
