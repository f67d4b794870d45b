import { createStore, useStore } from '../lib/store.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'bad' };

const SHOWN_MS = 6_000;
const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

const dismiss = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/** Shows the result of an action for 6 s. Errors stay until they are closed. */
export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  lastId += 1;
  const id = lastId;
  toasts.set([...toasts.get().slice(-3), { id, text, tone }]);
  if (tone === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

export function Toasts() {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text, tone }) => (
        <div key={id} className={`toast fading ${tone}`}>
          <span className="wrap" dir="auto">
            {text}
          </span>
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
