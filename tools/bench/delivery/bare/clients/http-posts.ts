import { Agent, request } from 'undici';

/** Posts to the sink with undici and keep-alive. */
export type HttpPosts = {
  post(
    url: string,
    message: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    },
  ): Promise<string>;
  close(): Promise<void>;
};

export function createHttpPosts(connections: number): HttpPosts {
  const dispatcher = new Agent({ connections });
  return {
    async post(url, { headers, body }) {
      const answer = await request(url, { method: 'POST', headers, body, dispatcher });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`the sink returned ${answer.statusCode}`);
      return text;
    },
    close: () => dispatcher.close(),
  };
}
