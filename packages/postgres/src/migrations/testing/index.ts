export { digestCatalog, readCatalog } from './catalog.ts';
export { onDatabase, withEmptyDatabase } from './empty-database.ts';
