import { Type } from 'typebox';
import { CHANNELS, mapChannels, type Channel } from '../channels/descriptors.ts';
import { ITEM_FIELDS } from '../channels/message-schema.ts';
import { LIMITS } from '../limits.ts';
import { PURPOSES, type Purpose } from './purposes.ts';
import { PUSH_AUDIENCE_FIELDS, type PushSegment } from './push-audience.ts';
import { PUSH_NAME_FIELDS, type CampaignNames } from './push-names.ts';
import { PUSH_SCHEDULE_FIELDS } from './push-schedule.ts';
import { PUSH_TEMPLATE_FIELDS, type PushTemplateFields } from './push-templates.ts';
import { PUSH_WINNER_FIELD, type PushWinner } from './push-winner.ts';

/** An optional field; null counts as absent. */
const nullable = <T>({
  type,
  ...rest
}: {
  readonly type?: string;
  readonly [keyword: string]: unknown;
}) =>
  Type.Optional(
    Type.Unsafe<T | null>({ ...(type === undefined ? {} : { type: [type, 'null'] }), ...rest }),
  );

/** The schema of `message` for each channel. Unknown fields are ignored with a warning. */
export const PUSH_MESSAGES = mapChannels(({ message }) => message);

const shared = {
  // A longer text cannot be an id.
  recipients: Type.Array(Type.String({ maxLength: LIMITS.customUserIdCharsMax }), {
    minItems: 1,
    maxItems: LIMITS.recipientsMax,
  }),
  channel: Type.Unsafe<Channel>({ type: 'string', enum: CHANNELS }),
  message: Type.Unsafe<PushMessage>({ type: 'object' }),
  purpose: nullable<Purpose>({ enum: [...PURPOSES, null] }),
  dryRun: nullable<boolean>({ type: 'boolean' }),
  ...PUSH_NAME_FIELDS,
  ...PUSH_AUDIENCE_FIELDS,
  ...PUSH_SCHEDULE_FIELDS,
  ...PUSH_TEMPLATE_FIELDS,
  ...PUSH_WINNER_FIELD,
};

/** The channel name in schema names: `WebPush` for `WEB_PUSH`. */
export const channelInNames = (channel: Channel): string =>
  channel
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');

/** The message schema of a channel, with its name for client generators. */
export const messageSchema = (channel: Channel): object => ({
  title: `${channelInNames(channel)}Message`,
  ...PUSH_MESSAGES[channel],
});

const pushSchema = {
  title: 'PushRequest',
  type: 'object',
  required: ['channel'],
  properties: shared,
  discriminator: { propertyName: 'channel' },
  oneOf: CHANNELS.map((channel) => ({
    title: `Push${channelInNames(channel)}`,
    type: 'object',
    required: ['channel'],
    properties: { channel: { const: channel }, message: messageSchema(channel) },
  })),
};

/**
 * The body of `POST /push`. Its reader checks that it has `recipients` or `segment`, and
 * `message`, `template` or `split`.
 */
export const PushRequest = Type.Unsafe<PushRequest>(pushSchema);

const { segment: _segment, ...withoutSegment } = shared;
/**
 * The same as its reader checks it: without `segment`, whose form it checks itself with one fault
 * for each mistake, and with a `message`, which stands also for a template.
 */
export const PUSH_WITHOUT_SEGMENT = {
  ...pushSchema,
  required: ['channel', 'message'],
  properties: withoutSegment,
};

export type PushRequest = PushTemplateFields & {
  readonly winner?: PushWinner | null;
  readonly name?: CampaignNames['name'];
  readonly tags?: CampaignNames['tags'] | null;
  readonly recipients?: readonly string[] | null;
  readonly segment?: PushSegment | null;
  readonly exclude?: string | null;
  readonly recheck?: boolean | null;
  readonly sendAt?: number | null;
  readonly sendAtLocal?: string | null;
  readonly channel: Channel;
  readonly message: PushMessage;
  readonly purpose?: Purpose | null;
  readonly dryRun?: boolean | null;
};

/** The accepted message of a campaign: only fields that its channel knows. */
export type PushMessage = {
  readonly title?: string | null;
  readonly body: string | Record<string, unknown>;
} & Readonly<Record<string, unknown>>;

/** Fields of list items, for each list field. */
export const PUSH_ITEM_FIELDS: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  images: new Set(ITEM_FIELDS.images),
  buttons: new Set(ITEM_FIELDS.buttons),
};
export const PUSH_FIELDS: ReadonlySet<string> = new Set(Object.keys(shared));
export const PUSH_MESSAGE_FIELDS = mapChannels(
  ({ message }): ReadonlySet<string> => new Set(Object.keys(message.properties)),
);
