import { CHANNELS } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import { STORABLE_LINE_NOT_BLANK } from '@tidings/contracts/storable-text';
import { Type } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { CustomUserId, NullableString, oneOf } from '../schemas.ts';

const Addresses = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: LIMITS.customUserIdCharsMax,
    pattern: STORABLE_LINE_NOT_BLANK,
    description: 'text of one line that is not blank',
  }),
  {
    maxItems: LIMITS.testAddressesMax,
    uniqueItems: true,
    description: 'Ids of users, e-mail addresses, phone numbers.',
  },
);
const TestAddresses = Type.Object({ addresses: Addresses }, { additionalProperties: false });

const own = {
  path: 'test-sends/addresses',
  access: 'reader',
  answer: {
    status: 200,
    description: 'They.',
    schema: TestAddresses,
    example: { addresses: ['ada', 'ada@example.com'] },
  },
  errorStatuses: [401],
} as const;

export const readTestAddressesEndpoint = endpoint({
  ...own,
  name: 'readTestAddresses',
  method: 'GET',
  summary: 'Read whom the member sends tests in this application',
});

export const writeTestAddressesEndpoint = endpoint({
  ...own,
  name: 'writeTestAddresses',
  method: 'PUT',
  summary: 'Replace whom the member sends tests in this application',
  description: 'They are deleted with the member. An address of a deleted user is removed.',
  body: TestAddresses,
  bodyExample: { addresses: ['ada', 'ada@example.com'] },
});

const TestSent = Type.Object(
  {
    to: Type.String(),
    customUserId: NullableString,
    template: NullableString,
    campaignId: NullableString,
    ok: Type.Boolean(),
    status: Type.String({
      description: 'Of the delivery, `pending` if it takes long, `not_sent` with a `detail`.',
    }),
    reason: Type.Optional(Type.String()),
    providerMessage: Type.Optional(Type.String()),
    detail: Type.Optional(Type.String()),
  },
  { title: 'TestSent' },
);

export const sendTestEndpoint = endpoint({
  name: 'sendTest',
  method: 'POST',
  path: 'test-sends',
  access: 'reader',
  summary: 'Send a message to test addresses',
  description: `\`content\` is that of a draft, or a push: its audience, time, name and tags do not matter, the others must be valid. Each of \`to\` is a user, an e-mail address or a phone number, whose address of the channel is found: of a device the one seen last. A personal message has the values of that user, or of \`valuesOf\`. By templates each of them is sent. Title or text begin with \`[Test]\`. Tests have the source \`test\`: no condition and no cap counts them.`,
  body: Type.Object(
    {
      content: Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        additionalProperties: true,
      }),
      to: Type.Unsafe<readonly string[]>({ ...Addresses, minItems: 1 }),
      valuesOf: Type.Optional(CustomUserId),
    },
    { additionalProperties: false },
  ),
  bodyExample: {
    content: { channel: 'EMAIL', message: { title: 'Only today', body: '<p>Hello</p>' } },
    to: ['ada'],
  },
  recorded: [],
  answer: {
    status: 200,
    description: 'What became of each.',
    schema: Type.Object({ channel: oneOf(CHANNELS), items: Type.Array(TestSent) }),
    example: {
      channel: 'EMAIL',
      items: [
        {
          to: 'ada',
          customUserId: 'ada',
          template: null,
          campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
          ok: true,
          status: 'sent',
        },
      ],
    },
  },
  errorStatuses: [409],
});
