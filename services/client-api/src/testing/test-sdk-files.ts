import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen } from '@tidings/platform';
import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { mountSdkFiles, type SdkFiles } from '../routes/sdk-files/handler.ts';

export interface TestSdkFiles extends AsyncDisposable {
  readonly url: string;
  readonly files: SdkFiles;
  /** A request without content decoding. */
  getRaw(
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }>;
  close(): Promise<void>;
}

const FILES: SdkFiles = {
  'sdk.js': `/* the page's */ ${'globalThis.tidings = {};'.repeat(50)}`,
  'sw.js': "/* the worker's */",
  'frame.html': '<!doctype html><script>parent.postMessage({}, "*")</script>',
  'tidings.d.ts': 'export interface Tidings {}',
};

/** The SDK files with small contents. */
export async function startSdkFiles(): Promise<TestSdkFiles> {
  const app = createApp();
  mountSdkFiles(app, FILES);
  finishApp(app, createLogger('test', 'silent'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const close = () => server.close();
  return {
    url: server.url,
    files: FILES,
    getRaw: (path, headers) =>
      new Promise((resolve, reject) => {
        get(`${server.url}${path}`, { headers }, (response) => {
          buffer(response).then(
            (body) =>
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
            reject,
          );
        }).once('error', reject);
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
