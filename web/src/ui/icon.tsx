/** Line icons on a 24 × 24 grid, in the colour of the surrounding text. */
const PATHS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  campaigns: 'M3 11v3a1 1 0 0 0 1 1h3l6 4V6L7 10H4a1 1 0 0 0-1 1ZM17 9a4 4 0 0 1 0 7',
  compose: 'M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4',
  templates: 'M6 3h8l4 4v14H6V3ZM14 3v4h4M9 12h6M9 16h4',
  ingest: 'M4 6h16M4 12h10M4 18h7M17 14v6M14 17l3 3 3-3',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5a6.5 6.5 0 0 1 3.5 5.5',
  segments: 'M9 16a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM15 20a6 6 0 1 0 0-12 6 6 0 0 0 0 12Z',
  events: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  channels:
    'M12 13a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.8 15.2a6 6 0 0 1 0-8.4M16.2 6.8a6 6 0 0 1 0 8.4M5 18a10 10 0 0 1 0-14M19 4a10 10 0 0 1 0 14',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 9.5v-5M8 19.5v-5',
  start: 'M5 21V4M5 4h11l-2 4 2 4H5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM16 16l4.5 4.5',
  close: 'M6 6l12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4 20h16',
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4M12 17v.2',
  empty: 'M4 13 7 5h10l3 8v6H4v-6ZM4 13h5l1.5 2.5h3L15 13h5',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  add: 'M12 5v14M5 12h14',
  open: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  chevron: 'M7 10l5 5 5-5',
  key: 'M8 19a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM11.5 11.5 20 3M16.5 6.5l3 3',
  webhooks:
    'M12 9a3 3 0 1 0-2.6-1.5L6.5 13M6 20a3 3 0 1 0-2.8-4M18 20a3 3 0 1 0-1.5-5.6L13 8M9 17h9',
  letters: 'M4 7h16v11H4zM4 8l8 6 8-6M17 3l4 4M21 3l-4 4',
  docs: 'M5 4h6a2 2 0 0 1 2 2v14a3 3 0 0 0-3-2H5V4ZM21 4h-6a2 2 0 0 0-2 2v14a3 3 0 0 1 3-2h5V4Z',
  invite: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M19 8v6M16 11h6',
  keyboard: 'M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 15h8',
  leave: 'M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  mail: 'M3 6h18v13H3zM3 7l9 7 9-7',
  sms: 'M4 5h16v11H10l-5 4v-4H4V5ZM8 9h8M8 12h5',
  phone: 'M7 3h10v18H7zM11 18h2',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18',
  window: 'M3 5h18v14H3zM3 9h18',
  banner: 'M3 5h18v14H3zM3 12h18M7 15.5h6',
  automations: 'M4 4h6v6H4zM14 14h6v6h-6zM10 7h4a3 3 0 0 1 3 3v4',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3 2',
  hourglass: 'M7 3h10M7 21h10M8 3v4l4 5 4-5V3M8 21v-4l4-5 4 5v4',
  branch: 'M6 4v16M6 14a6 6 0 0 0 6-6h7M16 5l3 3-3 3',
  split: 'M12 21v-8M12 13 5 6M12 13l7-7M5 10V6h4M19 10V6h-4',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6l1-7Z',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5l11 7-11 7V5Z',
  trends: 'M4 4v16h16M7.5 14.5l4-4.5 3.5 3 5-6.5',
  retention: 'M4 4h16v16H4zM4 9.5h16M4 15h16M9.5 4v16M15 4v16',
  funnels: 'M3.5 5h17l-6.5 8v6l-4-2v-4L3.5 5Z',
  filter: 'M4 6h16M7 12h10M10 18h4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M19 5l-1.4 1.4M6.4 17.6 5 19',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
