const CHARS_SHOWN = 160;

const isLong = (text: string): boolean => text.length > CHARS_SHOWN;

/**
 * Of what the keyboard reaches anyway: of a text that would fill the page the beginning, until it is pointed at or focused.
 * What users wrote runs in its own direction; JSON runs from left to right.
 */
export const clampProps = (text: string) => ({
  dir: 'auto',
  ...(isLong(text) ? { className: 'clamp', title: text } : { className: 'wrap' }),
});

/** A text of any length, shortened in the same way, and then reached by the keyboard. */
export function LongText({
  text,
  isCode = false,
}: {
  readonly text: string;
  readonly isCode?: boolean;
}) {
  const Tag = isCode ? 'code' : 'span';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <Tag
      {...clampProps(text)}
      {...(isCode && { dir: undefined })}
      {...(isLong(text) && { tabIndex: 0 })}
    >
      {text}
    </Tag>
  );
}
