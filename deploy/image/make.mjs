// In the image build: builds in the checkout what `npm start` builds, without starting anything.

import { bootstrap } from '../local/bootstrap.mjs';

await bootstrap({ hasKafka: false });
