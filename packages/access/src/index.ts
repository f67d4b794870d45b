export { answerPreflights, READABLE_BY_PAGES } from './cors.ts';
export { credentialsOf, grantOf, knownGrantOf, type Credentials } from './credentials.ts';
export { decide, rateLimited, refuseCredentials, tellRate, type Decision, type Door, type Doorkeeper, type Exchange, type Room } from './decide.ts';
export { createKeyCache, type KeyCache } from './key-cache.ts';
export { createKeyUses, type KeyUses } from './key-uses.ts';
export { accessConfig, openAccess, openRates, type Access } from './open-access.ts';
export { createRates, type Rates } from './rates.ts';
export { createWrongKeys, type WrongKeys } from './wrong-keys.ts';
