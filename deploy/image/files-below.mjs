import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file below a folder, each once: links, of which an installed workspace is full, are not followed. */
export function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
