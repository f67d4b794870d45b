export function findLacks(): Readonly<Record<string, readonly string[]>>;
export function needsOf(source: string): readonly string[];
