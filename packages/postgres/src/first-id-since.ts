/**
 * The smallest id that can have been created at this instant: ids are UUIDs of version 7, which
 * start with their time.
 */
export function firstIdSince(epochMs: number): string {
  const hex = Math.max(0, Math.floor(epochMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
