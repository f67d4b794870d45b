import { byId, el, formatNumber, formatShortTime, formatTime } from './dom.js';
import { clearFilter, isFiltered } from './filters.js';
import { titleOf } from './title.js';

const list = byId('list');
/**
 * Rows by message id. A row keeps its element while its message is listed, so that focus survives a
 * refresh.
 */
let rows = new Map();

/** Draws the list, newest first; calls `choose` with the selected message. */
export function drawList({ count, messages }, chosenId, choose) {
  const before = rows;
  rows = new Map(
    messages.map((message) => [message.id, before.get(message.id) ?? renderRow(message, choose)]),
  );
  const items = [...rows.values()];
  // Moving an element loses focus, so the list is redrawn only if it changed.
  if (
    items.length !== list.children.length ||
    items.some((item, at) => item !== list.children[at])
  ) {
    const focused = document.activeElement;
    list.replaceChildren(...items);
    if (list.contains(focused)) focused.focus({ preventScroll: true });
  }
  markChosen(chosenId);
  drawHead(count, messages.length);
}

export function markChosen(chosenId) {
  for (const [id, item] of rows)
    item.firstChild.setAttribute('aria-current', String(id === chosenId));
}

function drawHead(count, shown) {
  const head = byId('list-head');
  byId('more').hidden = shown >= count || shown >= 500;
  if (count === 0 && isFiltered()) {
    head.replaceChildren(
      'No message matches. ',
      el('button', { type: 'button', class: 'quiet', onclick: clearFilter }, 'Clear the filter'),
    );
    return;
  }
  const text =
    shown < count
      ? `Newest ${formatNumber(shown)} of ${formatNumber(count)}`
      : `${formatNumber(count)} ${count === 1 ? 'message' : 'messages'}`;
  if (head.textContent !== text) head.textContent = text;
}

function renderRow(message, choose) {
  const button = el(
    'button',
    { type: 'button', class: 'row', onclick: () => choose(message) },
    el('span', { class: 'to' }, message.to),
    el(
      'time',
      {
        datetime: new Date(message.receivedAt).toISOString(),
        title: formatTime(message.receivedAt),
      },
      formatShortTime(message.receivedAt),
    ),
    el('span', { class: 'title' }, titleOf(message)),
    el('span', { class: 'channel' }, message.channel),
    el('span', { class: 'preview' }, buildPreview(message)),
  );
  return el('li', {}, button);
}

/** The first words. Parsing into a separate document runs no script and loads no image. */
function buildPreview({ body, data }) {
  const text = data.text ?? (typeof data.html === 'string' ? textOfHtml(data.html) : body);
  return text.slice(0, 2_000).replace(/\s+/g, ' ').trim().slice(0, 200);
}

function textOfHtml(html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const unseen of parsed.querySelectorAll('style, script, title')) unseen.remove();
  const words = [];
  const texts = parsed.createTreeWalker(parsed.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) words.push(texts.currentNode.data);
  return words.join(' ').trimStart();
}

/** Arrow keys move through the rows, as in a mail program. */
list.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const buttons = [...list.querySelectorAll('.row')];
  const next = buttons[buttons.indexOf(document.activeElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  if (matchMedia('(min-width: 821px)').matches) next.click();
});
