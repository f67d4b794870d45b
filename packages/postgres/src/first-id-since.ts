/** The least id that can have been made at this instant: ids of ours begin with their time (UUID version 7). */
export function firstIdSince(epochMs: number): string {
  const hex = Math.max(0, Math.floor(epochMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
