import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { Blocks, ExpandedField, LiquidFault } from './engine/expand-blocks.ts';
import type { TextOf } from './engine/parse-options.ts';
import type { TemplateVariable } from './engine/variables.ts';

/** What the Liquid of a message says, or its faults. */
export type MessageCheck =
  | {
      readonly ok: true;
      readonly variables: readonly TemplateVariable[];
      readonly expanded: readonly ExpandedField[];
    }
  | { readonly ok: false; readonly errors: readonly LiquidFault[] };

export type MessageToCheck = {
  readonly channel: Channel;
  readonly message: PushMessage;
  /** Place of the message, for faults. */
  readonly pointer: string;
  /** Those that it names; absent: it may name none. */
  readonly blocks?: Blocks | null;
  /** Whose texts they are, which decides what they may name. Default: a template's, which may name all. */
  readonly textOf?: TextOf;
};
