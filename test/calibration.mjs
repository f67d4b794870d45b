// Prints the CPU seconds of a fixed amount of the work that tests do: texts, objects, hashes.

import { createHash } from 'node:crypto';

let text = '';
for (let round = 0; round < 400; round += 1) {
  const rows = Array.from({ length: 1_000 }, (_, index) => ({
    id: createHash('sha256').update(`${round} ${index}`).digest('hex'),
    tags: [`tag ${index % 7}`, text.slice(0, 8)],
  }));
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  text = JSON.stringify(JSON.parse(JSON.stringify(rows)));
}
const { user, system } = process.cpuUsage();
process.stdout.write(String((user + system) / 1e6));
