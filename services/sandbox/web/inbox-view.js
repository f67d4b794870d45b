import { el } from './dom.js';
import { htmlFrame, imagesNote } from './html-frame.js';

/** Looks like the SDK, in the colours of the page. */
const FRAME_STYLE =
  ':root{color-scheme:light dark}body{margin:14px 16px;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}';

/** A message in an app. */
export function inAppView(message) {
  return device(message, (card) =>
    el(
      'div',
      { class: 'screen phone app' },
      el(
        'div',
        { class: 'app-bar', 'aria-hidden': 'true' },
        el('span', {}),
        el('span', {}, 'The app'),
        el('span', {}),
      ),
      page(card, message),
    ),
  );
}

/** A message on a website. */
export function onSiteView(message) {
  return device(message, (card) =>
    el(
      'div',
      { class: 'screen site' },
      el(
        'div',
        { class: 'address-bar', 'aria-hidden': 'true' },
        el('i'),
        el('i'),
        el('i'),
        el('span', {}, 'shop.example'),
      ),
      page(card, message),
    ),
  );
}

function device({ body, title, data }, screenOf) {
  const { alignment, duration } = data.message ?? {};
  const createFrame = (withImages) =>
    htmlFrame({ html: body, title: title || 'The message', style: FRAME_STYLE }, withImages);
  const card = el(
    'article',
    { class: 'card', 'aria-label': 'Message' },
    title ? el('h3', {}, title) : null,
    createFrame(false),
  );
  const facts = [
    alignment && `alignment ${alignment}`,
    duration ? `closes after ${duration / 1000} s` : 'stays until closed',
    `fetched by ${data.deviceId}`,
  ];
  return el(
    'div',
    { class: 'device' },
    el(
      'div',
      { class: 'view-bar' },
      el('span', {}, facts.filter(Boolean).join(' · ')),
      imagesNote(body, () => card.lastChild.replaceWith(createFrame(true))),
    ),
    screenOf(card),
  );
}

/** The page behind the message, drawn as lines. */
function page(card, { data }) {
  const alignment = ['TOP', 'CENTER'].includes(data.message?.alignment)
    ? data.message.alignment
    : 'BOTTOM';
  return el(
    'div',
    { class: `page at-${alignment.toLowerCase()}` },
    el(
      'div',
      { class: 'lines', 'aria-hidden': 'true' },
      ...Array.from({ length: 9 }, () => el('i')),
    ),
    card,
  );
}
