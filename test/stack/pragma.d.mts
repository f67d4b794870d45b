export function readPragma(source: string, name: string): readonly string[] | null;
