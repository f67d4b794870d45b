import { el } from './dom.js';

/**
 * Policy of a frame with foreign HTML, beyond `sandbox`: no requests. Remote images would reveal
 * that it was opened.
 */
const policy = (images) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; font-src data:`;
const REMOTE_IMAGE =
  /(?:src|srcset|background)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i;

const hasRemoteImages = (html) => typeof html === 'string' && REMOTE_IMAGE.test(html);

/**
 * Received HTML is shown only in a frame that cannot run scripts or make requests; `style` precedes
 * its own styles.
 */
export function htmlFrame({ html, title, style = '' }, withRemoteImages) {
  const frame = el('iframe', { sandbox: '', title, referrerpolicy: 'no-referrer' });
  const allowed = policy(withRemoteImages ? 'data: http: https:' : 'data:');
  frame.srcdoc = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${allowed}"><style>${style}</style>${html}`;
  return frame;
}

/** Says that remote images are blocked, with a button to show them; null if there are none. */
export function imagesNote(html, showImages) {
  if (!hasRemoteImages(html)) return null;
  const show = () => {
    note.remove();
    showImages();
  };
  const note = el(
    'span',
    {},
    'Remote images are blocked. ',
    el('button', { type: 'button', onclick: show }, 'Show them'),
  );
  return note;
}
