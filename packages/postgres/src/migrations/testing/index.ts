export { digestCatalog, readCatalog, type CatalogEntry } from './catalog.ts';
export { onDatabase, withEmptyDatabase, withMigrations } from './empty-database.ts';
