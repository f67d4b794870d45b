import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { RenderFaultCode } from '@tidings/contracts/push/templates';
import type { MessageCheck, MessageToCheck } from '@tidings/liquid/message-check';
import type { Filling } from '@tidings/liquid/filling';
import type { TemplateVariable } from '@tidings/liquid/variables';
import type { TemplateUser } from '@tidings/liquid/user-scope';

/** What a rendering thread is asked. */
export type RenderJob =
  | {
      readonly kind: 'render';
      readonly message: KeyedMessage;
      readonly channel: Channel;
      readonly campaignId: string;
      readonly users: readonly TemplateUser[];
    }
  | {
      readonly kind: 'variables';
      readonly channel: Channel;
      readonly messages: readonly KeyedMessage[];
    }
  | ({ readonly kind: 'check' } & MessageToCheck)
  | { readonly kind: 'plain text'; readonly html: string };

/** A message that never changes has a key: a thread parses it once. */
export type KeyedMessage = { readonly key: string | null; readonly message: PushMessage };

export type RenderedFault = { readonly code: RenderFaultCode; readonly detail: string };

/** A message for one user: what differs from the template, and a mail's body apart. */
export type RenderedFields = {
  readonly fields: Partial<PushMessage>;
  /** Null: what was filled in is too long to be recorded. */
  readonly filling: Filling | null;
  readonly body?: {
    /** Index in `bodies`. */
    readonly no: number;
    readonly html: readonly string[];
    readonly text: readonly string[];
  };
};

/** What a thread answers. */
export type RenderAnswer =
  | {
      readonly kind: 'rendered';
      /** For the first users of the job; the thread gives its turn to others before the rest. */
      readonly results: readonly (RenderedFields | RenderedFault)[];
      /** Bodies that mails share. */
      readonly bodies: readonly string[];
    }
  | { readonly kind: 'variables'; readonly variables: readonly TemplateVariable[] }
  | { readonly kind: 'checked'; readonly check: MessageCheck }
  | { readonly kind: 'plain text'; readonly text: string }
  /** A fault of this program. */
  | { readonly kind: 'error'; readonly error: Error };

/** Where a thread is: in its shared memory, since a thread that hangs answers nothing. */
export const PROGRESS = {
  /** Grows with each user. */
  turns: 0,
  /** Index of the user in the job; -1: before the first. */
  user: 1,
  length: 2,
} as const;
