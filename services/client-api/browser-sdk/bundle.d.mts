/** The files that browsers get, by name, made of the present sources. */
export function bundleBrowserSdk(): {
  readonly 'sdk.js': string;
  readonly 'sw.js': string;
  readonly 'frame.html': string;
  readonly 'tidings.d.ts': string;
};
