import type { Channel } from '../channels/channels.ts';
import type { Condition } from '../segments/conditions.ts';
import type { ProfileField } from '../ingest/ingest.ts';
import type { PushMessage } from './push.ts';

/** Fields of the profile that templates may use: `{{ user.firstName }}`. Not those that are hashes. */
export const TEMPLATE_USER_FIELDS = [
  'customUserId',
  'firstName',
  'lastName',
  'phoneNumber',
  'email',
  'country',
  'city',
  'region',
  'locality',
  'gender',
  'birthday',
  'registeredAt',
] as const satisfies readonly (ProfileField | 'customUserId' | 'registeredAt')[];

/** The field of `user` whose fields the application defines. */
export const TEMPLATE_ATTRIBUTES = 'customAttributes';

/** Fields of the event that began a run of an automation: `{{ event.name }}`. */
export const TEMPLATE_EVENT_FIELDS = ['name', 'time', 'revenue', 'currency'] as const;

/** The field of `event` whose fields the application defines. */
export const TEMPLATE_EVENT_ATTRIBUTES = 'attributes';

/** Fields of a run of an automation: `{{ run.enteredAt }}`. */
export const TEMPLATE_RUN_FIELDS = ['id', 'enteredAt'] as const;

/** A message for the users of whom a condition is true. */
export type TemplateVariant = {
  readonly name: string;
  readonly condition: Condition;
  readonly message: PushMessage;
};

/** What a template says: the message of the first variant whose condition is true, else its own. */
export type TemplateContent = {
  readonly channel: Channel;
  readonly message: PushMessage;
  readonly variants: readonly TemplateVariant[];
};

/** One of the templates that a campaign splits its recipients between. */
export type CampaignTemplate = {
  /** Null: the message of the push itself, with `personalize`. */
  readonly slug: string | null;
  readonly version: number | null;
  /** Its recipients are `share` of the sum of all shares. */
  readonly share: number;
  readonly message: PushMessage;
  readonly variants: readonly TemplateVariant[];
};

/** A template of a campaign, as its report names it. */
export type NamedCampaignTemplate = Pick<CampaignTemplate, 'slug' | 'version' | 'share'>;

/** Why a message could not be rendered for a user. */
export const RENDER_FAULTS = [
  'missing_variable',
  'not_text',
  'forbidden_link',
  'unsafe_place',
  'empty',
  'too_long',
  'limit',
  'failed',
] as const;
export type RenderFaultCode = (typeof RENDER_FAULTS)[number];
