export const COMMANDS: readonly string[];
export function entryPoints(root: string): readonly string[];
