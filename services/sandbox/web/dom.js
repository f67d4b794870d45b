/**
 * Creates an element with attributes, listeners (`onclick`) and children. Strings become text
 * nodes, so received content never becomes markup.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

const number = new Intl.NumberFormat();
export const formatNumber = (value) => number.format(value);

const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'medium' });

/** The time, or the date if it was another day. */
export function formatShortTime(at) {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString()
    ? timeOfDay.format(date)
    : day.format(date);
}
export const formatTime = (at) => full.format(new Date(at));
