import type { SuccessState } from '../campaigns.ts';
import type { MessageSchema } from './message-schema.ts';

/** Where a message goes: to a contact of the profile, to the devices of a user, or to the user by id. */
export type ChannelAddress =
  | { readonly kind: 'phone' }
  | { readonly kind: 'mailbox' }
  | { readonly kind: 'device'; readonly deviceKind: 'web_push' | 'fcm' }
  | { readonly kind: 'identity' };

/** Everything about a channel that is data. Its worker holds the code. */
export type ChannelDescriptor = {
  /** The name in lower case: topics, folders, metrics. */
  readonly slug: string;
  readonly labels: ChannelLabels;
  /** The schema of `message` in `POST /push`. Other fields are ignored with a warning. */
  readonly message: MessageSchema;
  readonly address: ChannelAddress;
  /** Messages are not sent. They wait until a device of the user fetches them. */
  readonly isInbox: boolean;
  /** The provider can be asked for the outcome of a message, by its recipient and time. */
  readonly hasOutcomeLookup: boolean;
  /** The success states that the channel can report. */
  readonly reportedStates: readonly SuccessState[];
};

/** Texts of the dashboard. */
export type ChannelLabels = {
  readonly name: string;
  readonly purpose: string;
  readonly testTo: { readonly label: string; readonly placeholder: string };
};
