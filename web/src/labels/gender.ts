const NAMES: ReadonlyMap<string, string> = new Map([
  ['m', 'Male'],
  ['male', 'Male'],
  ['f', 'Female'],
  ['female', 'Female'],
]);

/** How a stored gender, which is any text, is shown. */
export const genderName = (text: string): string => NAMES.get(text.trim().toLowerCase()) ?? 'Other';
