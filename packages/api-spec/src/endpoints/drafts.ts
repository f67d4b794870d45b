import { LIMITS } from '@tidings/contracts/limits';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { Instant, NullableString, Uuid, pageQuery, pageSchema } from '../schemas.ts';

const Content = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: `A push that may lack anything: at most ${LIMITS.draftBytesMax / 1024} KiB of JSON.`,
});
const by = Type.String({
  description: 'A key, a token or a member; `deletion`: a deleted user was taken out.',
});
const state = {
  draftId: Uuid,
  version: Type.Integer({ minimum: 1, description: 'Counts changes.' }),
  createdAt: Instant,
  createdBy: by,
  updatedAt: Instant,
  updatedBy: by,
};
const Draft = Type.Object({ ...state, content: Content }, { title: 'Draft' });
const ListedDraft = Type.Object(
  {
    ...state,
    name: NullableString,
    tags: Type.Array(Type.String()),
    channel: NullableString,
    title: NullableString,
    segment: NullableString,
    recipients: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  },
  { title: 'ListedDraft' },
);

const STATE_EXAMPLE = {
  draftId: '01a1fda0-9b20-7d1e-9a33-51d0aa0e7c01',
  version: 4,
  createdAt: 1_795_256_400_000,
  createdBy: 'member:ada@example.com',
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:grace@example.com',
};
const LISTED_EXAMPLE = { name: 'Black Friday', tags: ['sale'], channel: 'EMAIL', segment: 'loyal' };
const CONTENT_EXAMPLE = { ...LISTED_EXAMPLE, message: { title: 'Only today' } };
const EXAMPLE = { ...STATE_EXAMPLE, content: CONTENT_EXAMPLE };

const draft = {
  access: 'reader',
  path: 'drafts/:draftId',
  parameters: { draftId: Uuid },
} as const;

export const listDraftsEndpoint = endpoint({
  name: 'listDrafts',
  method: 'GET',
  path: 'drafts',
  access: 'reader',
  summary: 'List drafts, the last changed first',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of drafts: of their contents the beginning of title or text, and numbers.',
    schema: pageSchema(ListedDraft),
    example: {
      items: [
        {
          ...STATE_EXAMPLE,
          ...LISTED_EXAMPLE,
          title: 'Only today',
          recipients: null,
        },
      ],
      nextCursor: null,
    },
  },
});

export const createDraftEndpoint = endpoint({
  name: 'createDraft',
  method: 'POST',
  path: 'drafts',
  access: 'reader',
  summary: 'Create a draft of a campaign',
  description: `From a content, or from a campaign: its message, templates, purpose, name, tags and audience. Of listed recipients it has those who are registered, up to 20,000 and as far as they fit. An application has at most ${LIMITS.draftsMax} drafts: 409 names the oldest. A draft that is not changed for ${LIMITS.draftDaysMax} days is deleted.`,
  body: Type.Object(
    { content: Type.Optional(Content), campaignId: Type.Optional(Uuid) },
    {
      additionalProperties: false,
      oneOf: ['content', 'campaignId'].map((name) => ({
        type: 'object',
        required: [name],
        properties: { [name]: {} },
      })),
    },
  ),
  recorded: ['campaignId'],
  bodyExample: { content: CONTENT_EXAMPLE },
  answer: {
    status: 201,
    description: 'The draft.',
    schema: Draft,
    example: { ...EXAMPLE, version: 1 },
  },
  errorStatuses: [404, 409],
});

export const readDraftEndpoint = endpoint({
  ...draft,
  name: 'readDraft',
  method: 'GET',
  summary: 'Read a draft',
  answer: { status: 200, description: 'It.', schema: Draft, example: EXAMPLE },
  errorStatuses: [404],
});

export const writeDraftEndpoint = endpoint({
  ...draft,
  name: 'writeDraft',
  method: 'PUT',
  summary: 'Replace the content of a draft',
  description:
    '409 when the draft has another version than the expected one: `detail` says which, of whom and since when, and nothing is changed. Equal content changes nothing, and is no conflict: a request may be repeated.',
  body: Type.Object(
    {
      content: Content,
      expectedVersion: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    },
    { additionalProperties: false },
  ),
  recorded: ['expectedVersion'],
  bodyExample: { content: CONTENT_EXAMPLE, expectedVersion: 3 },
  answer: { status: 200, description: 'The draft.', schema: Draft, example: EXAMPLE },
  errorStatuses: [404, 409],
});

export const deleteDraftEndpoint = endpoint({
  ...draft,
  name: 'deleteDraft',
  method: 'DELETE',
  summary: 'Delete a draft',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404],
});
