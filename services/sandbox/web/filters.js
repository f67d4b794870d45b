import { byId } from './dom.js';

const NAMES = ['channel', 'to', 'campaignId'];
const form = byId('filters');

/** The filter in the form; it is also in the URL, so that a view can be shared. */
export function currentFilter() {
  return Object.fromEntries(NAMES.map((name) => [name, form.elements[name].value.trim()]));
}

export function isFiltered() {
  return Object.values(currentFilter()).some((value) => value !== '');
}

/** Sets filter fields and notifies listeners. */
export function setFilter(values) {
  for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
  form.dispatchEvent(new Event('input', { bubbles: true }));
}

export function clearFilter() {
  setFilter(Object.fromEntries(NAMES.map((name) => [name, ''])));
}

export function startFilters(onChange) {
  const address = new URLSearchParams(location.search);
  for (const name of NAMES) form.elements[name].value = address.get(name) ?? '';
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    const given = Object.entries(currentFilter()).filter(([, value]) => value !== '');
    history.replaceState(
      null,
      '',
      given.length > 0 ? `?${new URLSearchParams(given)}` : location.pathname,
    );
    onChange();
  });
}
