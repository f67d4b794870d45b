import type { FrameEvent } from '../../frame/contract.ts';
import { styleCard } from './card-style.ts';
import { connectFrame } from './frame-port.ts';
import type { InboxMessage } from './message.ts';
import type { CloseReason, Screen } from './presenter.ts';

export type CardOptions = {
  readonly frameUrl: string;
  readonly closeLabel: string;
  /** Opens a clicked link, after the click was recorded. */ readonly onClick: (
    href: string,
    isNewWindow: boolean,
  ) => void;
};

/** If the page's policy blocks the frame, it never loads. */
const FRAME_TIMEOUT_MS = 10_000;
const HELD_MS = 1_000;
const LABEL_CHARS_MAX = 200;
/**
 * A centred message is a modal dialog. A bar at the edge leaves the page usable and takes no focus.
 */
const isModal = ({ alignment }: InboxMessage): boolean => alignment === 'CENTER';

/**
 * Shows messages on the page. Their HTML is in a sandboxed frame of an opaque origin: its scripts
 * do not run, and it cannot access the page. Frame and page communicate by messages only.
 */
export const createScreen = (options: CardOptions): Screen => ({
  show(message, onShown) {
    let onLeft: (leaving: CloseReason) => void = () => {};
    const left = new Promise<CloseReason>((resolve) => (onLeft = resolve));
    const close = openCard(message, options, { onShown, onLeft });
    return { left, close: () => close('ended') };
  },
});

type Events = { readonly onShown: () => void; readonly onLeft: (leaving: CloseReason) => void };

function openCard(
  message: InboxMessage,
  options: CardOptions,
  { onShown, onLeft }: Events,
): (leaving: CloseReason) => void {
  const { host, card, frame, button, status } = buildCard(message, options);
  const cameFrom = document.activeElement;
  const ended = new AbortController();
  const { signal } = ended;
  let isDisplayed = false;
  let timer = setTimeout(() => close('failed'), FRAME_TIMEOUT_MS);

  const close = (leaving: CloseReason): void => {
    if (signal.aborted) return;
    ended.abort();
    clearTimeout(timer);
    const hadFocus = document.activeElement === host;
    if (card instanceof HTMLDialogElement) card.close();
    host.remove();
    if (hadFocus && cameFrom instanceof HTMLElement) cameFrom.focus({ preventScroll: true });
    onLeft(leaving);
  };

  const dismiss = (): void => close('dismissed');

  /** Auto-close waits while the message is hovered or focused. */
  const startTimer = (): void => {
    clearTimeout(timer);
    if (message.durationMs === undefined) return;
    const end = (): void => {
      const isHeld =
        card.matches(':hover') || (!isModal(message) && document.activeElement === host);
      if (isHeld) timer = setTimeout(end, HELD_MS);
      else close('ended');
    };
    timer = setTimeout(end, message.durationMs);
  };

  const display = (): void => {
    isDisplayed = true;
    card.classList.remove('loading');
    if (card instanceof HTMLDialogElement) button.focus();
    // A bar is announced to screen readers through the status element.
    else status.textContent = frame.title;
    startTimer();
    onShown();
  };

  const onEvent = (event: FrameEvent): void => {
    if (signal.aborted) return;
    switch (event.tidings) {
      case 'size':
        frame.style.height = `${event.height}px`;
        card.dir = event.direction;
        if (!isDisplayed) display();
        break;
      case 'click':
        close('clicked');
        // After the receipt, which is recorded in a microtask.
        queueMicrotask(() => options.onClick(event.href, event.isNewWindow));
        break;
      case 'close':
        dismiss();
    }
  };

  const content = {
    tidings: 'show',
    title: message.title,
    body: message.body,
    language: document.documentElement.lang,
  } as const;
  connectFrame(frame, content, { onEvent, onReplaced: () => close('ended') });
  addEventListener(
    'keydown',
    (event) => void (event.key === 'Escape' && !event.defaultPrevented && dismiss()),
    { signal },
  );
  card.addEventListener('cancel', dismiss);
  button.addEventListener('click', dismiss);
  // A click on the dialog itself is a click on its backdrop.
  card.addEventListener('click', ({ target }) => void (target === card && dismiss()));
  (document.body ?? document.documentElement).append(host);
  if (card instanceof HTMLDialogElement) card.showModal();
  else card.showPopover?.();
  return close;
}

function buildCard(message: InboxMessage, { frameUrl, closeLabel }: CardOptions) {
  const label = buildLabel(message);
  const host = element('div', { 'data-tidings': message.deliveryId });
  // The page's styles must not apply to this element.
  host.style.setProperty('all', 'initial', 'important');
  const root = host.attachShadow({ mode: 'open' });
  styleCard(root);
  const card = element(isModal(message) ? 'dialog' : 'div', {
    class: `card loading ${message.alignment}`,
    role: 'dialog',
    'aria-label': label,
  });
  // The popover is above the page's dialogs and takes no focus.
  if (!isModal(message)) card.popover = 'manual';
  const frame = element('iframe', {
    sandbox: 'allow-scripts',
    referrerpolicy: 'no-referrer',
    title: label,
    src: frameUrl,
  });
  const button = element('button', { type: 'button', 'aria-label': closeLabel });
  button.textContent = '×';
  const status = element('p', { role: 'status' });
  card.append(frame, button);
  root.append(card, status);
  return { host, card, frame, button, status };
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const name in attributes) made.setAttribute(name, attributes[name] ?? '');
  return made;
}

/** The accessible label. A parsed document that is never inserted runs and loads nothing. */
function buildLabel({ title, body }: InboxMessage): string {
  return (
    title ??
    new DOMParser()
      .parseFromString(body, 'text/html')
      .body.innerText.trim()
      .slice(0, LABEL_CHARS_MAX)
  );
}
