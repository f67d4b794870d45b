import { createStore } from '../lib/store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'tidings.theme';
const readTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'system';

export const theme = createStore<Theme>(readTheme());

export function applyTheme(): void {
  if (theme.get() === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.get();
}

export function chooseTheme(chosen: Theme): void {
  theme.set(chosen);
  localStorage.setItem(STORAGE_KEY, chosen);
  applyTheme();
}
