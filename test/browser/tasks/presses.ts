import type { BrowserContext } from 'playwright-core';

/** What a person presses in a browser, in order, by the words on it. */
export interface Presses {
  readonly all: readonly string[];
  /** Counts from here on. */
  begin(): void;
}

const BINDING = 'reportPress';

/**
 * Counts in the pages of a context, so a task cannot miscount: each press with the mouse but into a text, each Enter
 * in a search or picker, and each shortcut. Typing counts as none.
 */
export async function countPresses(context: BrowserContext): Promise<Presses> {
  const all: string[] = [];
  await context.exposeBinding(BINDING, (_source, what: string) => void all.push(what));
  await context.addInitScript(reportPresses, BINDING);
  return { all, begin: () => void all.splice(0) };
}

/** Runs in the page, so it may name nothing outside of it. */
function reportPresses(binding: string): void {
  const CHARS_SHOWN = 40;
  const report = (what: string): void =>
    (globalThis as unknown as Record<string, (text: string) => void>)[binding]?.(what);
  const isText = (element: Element): boolean =>
    element.closest(
      'textarea, [contenteditable], [data-type], input:not([type=checkbox], [type=radio])',
    ) !== null;
  const nameOf = (element: Element): string => {
    const pressed =
      element.closest('button, a, label, summary, [role^=menuitem], [role=option], tr') ?? element;
    const name = pressed.getAttribute('aria-label') ?? pressed.textContent;
    return name.trim().replaceAll(/\s+/g, ' ').slice(0, CHARS_SHOWN) || pressed.tagName;
  };
  addEventListener(
    'pointerdown',
    ({ target, isTrusted }) => {
      if (isTrusted && target instanceof Element && !isText(target)) report(nameOf(target));
    },
    true,
  );
  addEventListener(
    'keydown',
    ({ key, ctrlKey, metaKey, target, isTrusted }) => {
      if (!isTrusted || !(target instanceof Element)) return;
      const isLine = key === 'Enter' && target.closest('textarea, [contenteditable]') !== null;
      const isShortcut = key.length === 1 && (ctrlKey || metaKey || !isText(target));
      if ((key === 'Enter' && !isLine) || key === 'Escape' || isShortcut)
        report(ctrlKey || metaKey ? `Ctrl ${key}` : key);
    },
    true,
  );
}
