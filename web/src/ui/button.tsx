import type { ButtonHTMLAttributes, Ref } from 'react';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly ref?: Ref<HTMLButtonElement>;
  readonly kind?: 'primary' | 'danger' | 'plain' | undefined;
  readonly isSmall?: boolean;
  /** The action is in progress: shows an ellipsis and ignores clicks. */
  readonly isBusy?: boolean;
};

export const buttonClass = (kind?: ButtonProps['kind'], isSmall?: boolean): string =>
  ['button', kind, isSmall && 'small'].filter(Boolean).join(' ');

export function Button({
  kind,
  isSmall,
  isBusy = false,
  disabled,
  children,
  className,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`${buttonClass(kind, isSmall)}${className === undefined ? '' : ` ${className}`}`}
      disabled={isBusy || disabled}
      aria-busy={isBusy || undefined}
    >
      {children}
      {isBusy && <span aria-hidden="true">…</span>}
    </button>
  );
}
