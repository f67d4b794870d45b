import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * All files below a folder, each once. Does not follow links, of which an installed workspace has
 * many.
 */
export function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
