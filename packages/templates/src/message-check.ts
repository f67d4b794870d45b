import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { TemplateVariable } from './liquid/variables.ts';

/** What the Liquid of a message says, or its faults. */
export type MessageCheck =
  | { readonly ok: true; readonly variables: readonly TemplateVariable[] }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

export type MessageToCheck = {
  readonly channel: Channel;
  readonly message: PushMessage;
  /** Place of the message, for faults. */
  readonly pointer: string;
};
