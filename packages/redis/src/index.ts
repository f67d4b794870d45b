export { connectRedis, redisConfig, type Redis } from './client.ts';
export { publishKeyChange, subscribeKeyChanges } from './key-changes.ts';
