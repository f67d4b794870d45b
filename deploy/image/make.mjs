// In an image's build: makes of the checkout what `npm start` makes of it first, without starting anything.

import { bootstrap } from '../local/bootstrap.mjs';

await bootstrap({ hasStack: false });
