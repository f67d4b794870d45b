import { byId, el, formatTime } from './dom.js';
import { deviceView } from './device-view.js';
import { setFilter } from './filters.js';
import { titleOf } from './title.js';

const pane = byId('detail');
/** The selected view stays the same for the next message. */
let chosenView = 'Device';

/** Draws one message, or a placeholder. */
export function drawDetail(message, { isEmpty, close }) {
  if (message === undefined) {
    pane.replaceChildren(
      isEmpty
        ? byId('empty-template').content.cloneNode(true)
        : el('p', { class: 'placeholder' }, 'Select a message to see it as on the device.'),
    );
    return;
  }
  const views = listViews(message);
  if (!(chosenView in views)) chosenView = 'Device';
  const panel = el('div', { id: 'view', class: 'view', role: 'tabpanel' });
  const tabs = el('div', { class: 'views', role: 'tablist', 'aria-label': 'Views of the message' });
  const show = (name) => {
    chosenView = name;
    for (const tab of tabs.children) {
      const isChosen = tab.textContent === name;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
    panel.setAttribute('aria-label', name);
    panel.replaceChildren(views[name]());
  };
  tabs.append(
    ...Object.keys(views).map((name) =>
      el(
        'button',
        { type: 'button', role: 'tab', 'aria-controls': 'view', onclick: () => show(name) },
        name,
      ),
    ),
  );
  tabs.addEventListener('keydown', (event) => walkTabs(event, tabs));
  pane.replaceChildren(renderHead(message, tabs, close), panel);
  show(chosenView);
}

function renderHead(message, tabs, close) {
  const { to, campaignId, deliveryId, channel, receivedAt, data } = message;
  const fact = (name, value, kind) =>
    value ? [el('dt', {}, name), el('dd', { class: kind }, value)] : [];
  const filterBy = (values, text) =>
    el(
      'button',
      { type: 'button', title: 'Show only these', onclick: () => setFilter(values) },
      text,
    );
  return el(
    'header',
    { class: 'message-head' },
    el('button', { type: 'button', class: 'back quiet', onclick: close }, '← All messages'),
    el('h2', {}, titleOf(message)),
    el(
      'dl',
      { class: 'facts' },
      ...fact('From', data.from),
      ...fact('To', filterBy({ to }, to)),
      ...fact('Received', `${formatTime(receivedAt)} · ${channel}`),
      ...fact('Campaign', campaignId && filterBy({ campaignId }, campaignId), 'id'),
      ...fact('Delivery', deliveryId, 'id'),
    ),
    tabs,
  );
}

/** Views are created lazily. */
function listViews(message) {
  const { text, html, headers } = message.data;
  return {
    Device: () => deviceView(message),
    ...(text && html ? { Text: () => el('pre', { tabindex: 0 }, text) } : {}),
    ...(html ? { HTML: () => el('pre', { tabindex: 0 }, html) } : {}),
    ...(headers && message.channel === 'EMAIL' ? { Headers: () => headersView(headers) } : {}),
    Source: () => el('pre', { tabindex: 0 }, message.raw),
  };
}

function headersView(headers) {
  return el(
    'dl',
    { class: 'headers' },
    ...Object.entries(headers).flatMap(([name, value]) => [
      el('dt', {}, name),
      el('dd', {}, value),
    ]),
  );
}

function walkTabs(event, tabs) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const all = [...tabs.children];
  const next = all.at((all.indexOf(document.activeElement) + step) % all.length);
  event.preventDefault();
  next.focus();
  next.click();
}
