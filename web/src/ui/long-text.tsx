const CHARS_SHOWN = 160;

const isLong = (text: string): boolean => text.length > CHARS_SHOWN;

/**
 * Properties for focusable elements: a text over 160 characters shows its first lines until it is hovered or focused.
 * User text keeps its own direction; JSON runs from left to right.
 */
export const clampProps = (text: string) => ({
  dir: 'auto',
  ...(isLong(text) ? { className: 'clamp', title: text } : { className: 'wrap' }),
});

/** A text of any length. A long one is shortened and can be focused. */
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
