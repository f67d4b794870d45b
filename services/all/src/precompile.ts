// Compiles the schemas of hot routes for processes with the same NODE_COMPILE_CACHE.

import { precompileHotValidators } from '@tidings/validation';
import './service.ts';

precompileHotValidators();
