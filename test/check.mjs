// `pnpm check`: quick checks before a change is shared. Some two minutes, without stores.

import { bootstrap } from '../deploy/local/bootstrap.mjs';
import { add, conclude, format, jest, lint, size, typecheck } from './parts.mjs';
import { chooseSeeds } from './seeds.mjs';

await bootstrap({ hasKafka: false });
chooseSeeds();
let total = await typecheck();
total = add(total, await lint());
total = add(total, await format());
total = add(total, await size());
total = add(total, await jest('unit', process.argv.slice(2)));
conclude(total);
