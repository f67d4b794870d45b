import { createStore } from './store.ts';

const STORAGE_KEY = 'tidings.shortcuts';

/** Whether single letters act. Who dictates or has a tremor switches them off (WCAG 2.1.4). */
export const areLettersOn = createStore(localStorage.getItem(STORAGE_KEY) !== 'off');

export function switchLetters(isOn: boolean): void {
  areLettersOn.set(isOn);
  localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off');
}

/** Acts on a key, and says whether it did; or takes the next key, if that follows soon. */
type Handler = (key: string) => boolean | ((next: string) => void);

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1_500;

const handlers: Handler[] = [];
let pair: { readonly take: (next: string) => void; readonly until: number } | null = null;

/** Calls the handler for each key that is pressed outside of fields, menus and dialogs. The newest is asked first. */
export function onShortcut(handler: Handler): () => void {
  handlers.unshift(handler);
  return () => void handlers.splice(handlers.indexOf(handler), 1);
}

const OWN_KEYS =
  'input, textarea, code-field, [contenteditable], [role=combobox], [role=menu], [role=listbox]';

/** Marks the field that `/` moves to. */
export const PAGE_SEARCH = { 'data-page-search': '' } as const;

/** Asks the handlers about a key press. */
export function handleKey(event: KeyboardEvent): void {
  const { key, target } = event;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (event.defaultPrevented || hasModifier || key.length !== 1 || !areLettersOn.get()) return;
  if (target instanceof Element && target.closest(OWN_KEYS) !== null) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const begun = pair;
  pair = null;
  // Before all handlers: J, K and others mean something else on their own.
  if (begun !== null && performance.now() < begun.until) {
    event.preventDefault();
    begun.take(key);
  } else if (handlers.some((handler) => isTaken(handler(key)))) event.preventDefault();
}

function isTaken(answer: ReturnType<Handler>): boolean {
  if (typeof answer === 'function') pair = { take: answer, until: performance.now() + PAIR_MS };
  return answer !== false;
}
