export type EntryPoint = { readonly file: string; readonly nodeFlags: readonly string[] };
export function entryPoints(root: string): readonly EntryPoint[];
