/**
 * How the rendered text of a field is made safe. `line`: text without line breaks, for headers.
 * `link`: a link of the scheme that the channel allows. `values`: every string of an object.
 */
export type TemplatedKind = 'line' | 'text' | 'html' | 'mail' | 'webLink' | 'appLink' | 'values';

/** The fields of a message that are templates, and of the items of its lists. */
export type TemplatedFields = Readonly<
  Record<string, TemplatedKind | Readonly<Record<string, TemplatedKind>>>
>;
