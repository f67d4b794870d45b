import type { Channel, FieldError, PushMessage } from '@tidings/contracts';
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
