import { createStore, useStore } from '../lib/store.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type Toast = {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly undo: (() => void) | undefined;
};

const SHOWN_MS = 6_000;
const UNDO_MS = 8_000;
const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

const dismiss = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/**
 * Shows the result of an action for 6 s, or for 8 s if it can be undone, and longer while the pointer or
 * the focus is on it. Errors stay until they are closed.
 */
export function showToast(text: string, tone: Toast['tone'] = 'good', undo?: () => void): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get().slice(-3), { id, text, tone, undo }]);
  if (tone === 'good') dismissLater(id, undo === undefined ? SHOWN_MS : UNDO_MS);
}

function dismissLater(id: number, afterMs: number): void {
  setTimeout(() => {
    if (document.querySelector(`[data-toast="${id}"]:is(:hover, :focus-within)`) === null)
      dismiss(id);
    else dismissLater(id, afterMs);
  }, afterMs);
}

export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text, tone, undo }) => (
        <div key={id} data-toast={id} className={`toast fading ${tone}`}>
          <span className="wrap" dir="auto">
            {text}
          </span>
          {undo !== undefined && (
            <Button
              isSmall
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <Button
            kind="plain"
            isSmall
            className="icon"
            aria-label="Close"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
