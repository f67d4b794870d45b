export function filesBelow(folder: string): Generator<string>;
