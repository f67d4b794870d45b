import { CHANNELS } from '@tidings/contracts/channels/channels';
import { WARNING_CODES } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import { RENDER_FAULTS } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { STORABLE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { AskedUserId, Instant, oneOf, pageQuery, pageSchema, Slug } from '../schemas.ts';
import { IsHtmlMail } from '../rendered-message.ts';
import { USER_QUESTION_BUSY } from '../user-questions.ts';

const described = <T>(schema: object, description: string) =>
  Type.Unsafe<T>({ ...schema, description });
const strict = { additionalProperties: false } as const;

const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.templateNameCharsMax,
  pattern: STORABLE_NOT_BLANK,
  description: 'text that is not blank',
});
const message = described<PushMessage>(
  { type: 'object' },
  'A message of the channel, with Liquid in its texts: see the reference.',
);
const condition = described<Condition>({ type: 'object' }, 'A condition: see the reference.');
const channel = oneOf(CHANNELS);
const submitted = {
  channel,
  message,
  variants: Type.Optional(
    Type.Array(Type.Object({ name: Name, condition, message }, strict), {
      maxItems: LIMITS.templateVariantsMax,
      description: 'The first whose condition is true of the user replaces the message.',
    }),
  ),
};
const content = {
  channel,
  message,
  variants: Type.Array(Type.Object({ name: Type.String(), condition, message })),
};
const version = {
  version: Type.Integer({ minimum: 1, description: 'Counts changes of name or content.' }),
  name: Type.String(),
  ...content,
  blocks: Type.Array(
    Type.Object({ slug: Slug, version: Type.Integer({ minimum: 1 }) }, { title: 'UsedBlock' }),
    { description: 'The blocks that its texts name, as this version says them.' },
  ),
  createdAt: Instant,
};
const by = described<string>({ type: 'string' }, 'The key, token or member that made the version.');
const fields = { slug: Slug, ...version, updatedAt: Instant, updatedBy: by };

const CONTENT_EXAMPLE = {
  channel: 'EMAIL',
  message: {
    title: "Hello {{ user.firstName | default: 'there' }}",
    body: '<p>Your plan: {{ user.customAttributes.plan }}</p>',
  },
  variants: [
    {
      name: 'German',
      condition: { field: 'country', is: 'DE' },
      message: { title: 'Hallo', body: '<p>Ihr Tarif: {{ user.customAttributes.plan }}</p>' },
    },
  ],
} as const;
const VERSION_EXAMPLE = {
  version: 2,
  name: 'Welcome',
  ...CONTENT_EXAMPLE,
  blocks: [],
  createdAt: 1_795_256_400_000,
};
const TEMPLATE_EXAMPLE = {
  slug: 'welcome',
  ...VERSION_EXAMPLE,
  updatedAt: 1_795_256_516_534,
  updatedBy: 'member:ada@example.com',
};
const Template = Type.Object(fields, { title: 'Template' });
const warnings = Type.Array(
  Type.Object({ code: oneOf(WARNING_CODES), pointer: Type.String(), detail: Type.String() }),
);
const page = <T>(item: T) => ({ items: [item], nextCursor: null });

const reading = { method: 'GET', access: 'reader' } as const;
const ofTemplate = { ...reading, parameters: { slug: Slug }, errorStatuses: [404] } as const;
const changing = { access: 'application_administrator', parameters: { slug: Slug } } as const;

export const listTemplatesEndpoint = endpoint({
  name: 'listTemplates',
  ...reading,
  path: 'templates',
  summary: 'List templates by slug',
  description: 'A page with more than 8 MiB ends early.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of templates.',
    schema: pageSchema(Template),
    example: page(TEMPLATE_EXAMPLE),
  },
});

export const readTemplateEndpoint = endpoint({
  name: 'readTemplate',
  ...ofTemplate,
  path: 'templates/:slug',
  summary: 'Read a template',
  answer: { status: 200, description: 'It.', schema: Template, example: TEMPLATE_EXAMPLE },
});

export const writeTemplateEndpoint = endpoint({
  name: 'writeTemplate',
  ...changing,
  createsAtPath: true,
  method: 'PUT',
  path: 'templates/:slug',
  summary: 'Create a template, or give it a new version',
  description:
    'Equal content changes nothing. `expectedVersion` is the version that the caller has seen, 0 for none: 409 when the template has another one. 409 also for another channel, and beyond 200 templates. `preview` is no slug.',
  body: Type.Object(
    {
      name: Name,
      ...submitted,
      expectedVersion: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    },
    strict,
  ),
  recorded: ['name', 'channel'],
  bodyExample: { name: 'Welcome', ...CONTENT_EXAMPLE, expectedVersion: 1 },
  answer: {
    status: 200,
    description: 'The template.',
    schema: Type.Object({ ...fields, warnings }),
    example: { ...TEMPLATE_EXAMPLE, warnings: [] },
  },
  errorStatuses: [409],
});

export const deleteTemplateEndpoint = endpoint({
  name: 'deleteTemplate',
  ...changing,
  method: 'DELETE',
  path: 'templates/:slug',
  summary: 'Delete a template',
  description:
    'Campaigns keep the version that they began with. Its versions stay, and `PUT` continues them. 409 when an automation sends it.',
  answer: { status: 204, description: 'Deleted.' },
  errorStatuses: [404, 409],
});

export const listTemplateVersionsEndpoint = endpoint({
  name: 'listTemplateVersions',
  ...ofTemplate,
  path: 'templates/:slug/versions',
  summary: 'List the versions of a template, newest first, also of a deleted one',
  description: 'A page with more than 8 MiB ends early.',
  query: Type.Object(pageQuery),
  answer: {
    status: 200,
    description: 'A page of versions.',
    schema: pageSchema(Type.Object({ ...version, createdBy: by }, { title: 'TemplateVersion' })),
    example: page({ ...VERSION_EXAMPLE, createdBy: TEMPLATE_EXAMPLE.updatedBy }),
  },
});

const eventFields = {
  name: Type.String({ minLength: 1, description: 'Of its definition.' }),
  time: Instant,
  attributes: described<Readonly<Record<string, unknown>>>({ type: 'object' }, 'By name.'),
  revenue: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
  currency: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
};
/** Whom a preview is for. */
const previewFor = {
  customUserId: Type.Optional(AskedUserId),
  event: Type.Optional(
    Type.Partial(Type.Object(eventFields), {
      ...strict,
      description:
        'The event of a message that an automation sends. Absent: a sample, with the names of attributes in the place of their values. What an event leaves out is missing.',
    }),
  ),
};

/** What a template is for a user. */
const previewed = {
  variables: Type.Array(
    Type.Object({
      name: Type.String(),
      isRequired: Type.Boolean({
        description: 'No default replaces it: without it the message fails.',
      }),
    }),
  ),
  variant: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The variant for the user; null: the message itself.',
    }),
  ),
  message: Type.Optional(message),
  isHtml: IsHtmlMail,
  event: Type.Optional(
    Type.Object(eventFields, {
      description: 'The event whose values were filled in. Absent: the messages name none.',
    }),
  ),
  fault: Type.Optional(
    Type.Object({ code: oneOf(RENDER_FAULTS), detail: Type.String() }, { title: 'RenderFault' }),
  ),
  warnings,
};
const PREVIEW_EXAMPLE = {
  variables: [
    { name: 'user.customAttributes.plan', isRequired: true },
    { name: 'user.firstName', isRequired: false },
  ],
  variant: 'German',
  message: { title: 'Hallo', body: '<p>Ihr Tarif: pro</p>' },
  isHtml: true,
  warnings: [],
};

export const previewTemplateEndpoint = endpoint({
  name: 'previewTemplate',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  path: 'templates/preview',
  summary: 'Check a template, and render it for a user',
  description: `Nothing is stored or sent. ${USER_QUESTION_BUSY} Without \`customUserId\` only the last holds.`,
  body: Type.Object(
    {
      ...submitted,
      ...previewFor,
    },
    strict,
  ),
  bodyExample: { ...CONTENT_EXAMPLE, customUserId: 'ada' },
  answer: {
    status: 200,
    description: 'Its variables, and with `customUserId` the message, or why there is none.',
    schema: Type.Object(previewed),
    example: PREVIEW_EXAMPLE,
  },
  errorStatuses: [404],
});

export const previewStoredTemplateEndpoint = endpoint({
  name: 'previewStoredTemplate',
  method: 'POST',
  access: 'reader',
  isQuestion: true,
  parameters: { slug: Slug },
  path: 'templates/:slug/preview',
  summary: 'Render a stored template for a user',
  description: `Nothing is sent. 404 also for a version that there is not. ${USER_QUESTION_BUSY} Without \`customUserId\` only the last holds.`,
  body: Type.Object(
    {
      version: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2 ** 31 - 1,
          description: 'its current one if absent',
        }),
      ),
      ...previewFor,
    },
    strict,
  ),
  bodyExample: { customUserId: 'ada' },
  answer: {
    status: 200,
    description: 'As of a preview, with the version that was read.',
    schema: Type.Object({ version: version.version, ...previewed }),
    example: { version: 2, ...PREVIEW_EXAMPLE },
  },
  errorStatuses: [404],
});
