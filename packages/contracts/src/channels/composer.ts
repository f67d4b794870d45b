/** A field of `message` in the composer. Its schema defines the allowed values. */
export type ComposerField = {
  readonly label: string;
  readonly hint?: string;
  /** Required in the composer, even if the schema does not require it. */
  readonly isNeeded?: boolean;
  /** Name of the missing value in the message for an empty required field; default: a text. */
  readonly needed?: string;
  readonly isTall?: boolean;
  /** The default choice. */
  readonly standard?: string;
  /** Label of the choice that sends no value. */
  readonly unset?: string;
};

/** The fields of a message, in the order of the composer. */
export type ComposerFields = Readonly<Record<string, ComposerField>>;

export const title = { label: 'Title' } as const;
export const body = { label: 'Text' } as const;

export const notificationComposer = {
  title,
  body,
  url: { label: 'Link', hint: 'Opens when clicked' },
  icon: { label: 'Icon URL' },
  images: { label: 'Images', hint: 'One URL per line' },
  buttons: { label: 'Buttons', hint: 'One per line: label | link' },
} as const satisfies ComposerFields;

export const onScreenComposer = {
  title,
  body: { label: 'HTML', isTall: true },
  alignment: { label: 'Position', standard: 'CENTER' },
  duration: { label: 'Auto-close after (ms)', hint: 'Leave empty to stay open until closed' },
} as const satisfies ComposerFields;
