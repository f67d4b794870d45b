import { useEffect, useId, useRef, type ReactNode } from 'react';
import { errorMessage } from '../api/problem.ts';
import { Button } from './button.tsx';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  readonly isClosable?: boolean;
};

/** The browser's own modal dialog: it keeps the focus, closes by Escape, and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
  isClosable = true,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (isClosable) onClose();
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** The change that it asks about; without its error where the page below shows that. */
  readonly change: { readonly error?: Error | null; readonly isPending: boolean };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  children,
  action,
  isDangerous = true,
  change: { error, isPending },
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="stack tight">{children}</div>
      {error != null && (
        <p className="callout bad" role="alert">
          {errorMessage(error)}
        </p>
      )}
      <div className="dialog-foot">
        <Button onClick={onClose}>Keep things as they are</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isBusy={isPending} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
