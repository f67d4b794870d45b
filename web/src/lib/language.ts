/** The language, or the default of `Intl` if it does not accept it: Chromium can report `en-US@posix`. */
function validLanguage(language: string): string {
  try {
    Intl.getCanonicalLocales(language);
    return language;
  } catch {
    return new Intl.NumberFormat().resolvedOptions().locale;
  }
}

/** Makes `navigator.language` valid for libraries that pass it to `Intl` when they are loaded. */
export function repairLanguage(): void {
  const { language } = navigator;
  const valid = validLanguage(language);
  if (valid !== language)
    Object.defineProperty(navigator, 'language', { value: valid, configurable: true });
}
