export function assemble(target: string): void;
