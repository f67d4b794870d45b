import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createHash, randomUUID } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

export type Claims = Readonly<Record<string, unknown>>;

/** A minimal OpenID provider. It grants every request; the test sets its claims. */
export interface TestIdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Claims of the next ID token. */
  claims: Claims;
  /** Claims that only the userinfo endpoint returns. */
  userInfo: Claims;
  /** Sign with an unpublished key. */
  isForging: boolean;
  /** Follows the redirect to the provider like a browser, and returns the callback URL. */
  visit(departure: string): Promise<URL>;
}

type Grant = { readonly challenge: string; readonly nonce: string; readonly redirectUri: string };

export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const [published, forged] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(published.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const grants = new Map<string, Grant>();
  const [clientId, clientSecret] = ['tidings', 'a secret of the client'];
  const self: { claims: Claims; userInfo: Claims; isForging: boolean } = {
    claims: {},
    userInfo: {},
    isForging: false,
  };
  let issuer = '';

  const token = async (
    req: IncomingMessage,
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    const form = new URLSearchParams(await text(req));
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret).replaceAll('%20', '+')}`).toString('base64')}`;
    if (req.headers.authorization !== basic)
      return { status: 401, body: { error: 'invalid_client' } };
    if (
      grant === undefined ||
      challenge !== grant.challenge ||
      form.get('redirect_uri') !== grant.redirectUri
    )
      return { status: 400, body: { error: 'invalid_grant' } };
    const idToken = await new SignJWT({ nonce: grant.nonce, ...self.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(clientId)
      .setIssuedAt()
      .setExpirationTime('5 min')
      .sign((self.isForging ? forged : published).privateKey);
    return {
      status: 200,
      body: { access_token: 'an access token', token_type: 'Bearer', id_token: idToken },
    };
  };

  const authorize = (url: URL, res: ServerResponse): void => {
    const asked = (name: string): string => url.searchParams.get(name) ?? '';
    const code = randomUUID();
    grants.set(code, {
      challenge: asked('code_challenge'),
      nonce: asked('nonce'),
      redirectUri: asked('redirect_uri'),
    });
    res
      .writeHead(302, {
        Location: `${asked('redirect_uri')}?${new URLSearchParams({ code, state: asked('state') }).toString()}`,
      })
      .end();
  };

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', issuer);
    const answer = (status: number, body: unknown): void =>
      void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return answer(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        });
      case '/keys':
        return answer(200, { keys: [jwk] });
      case '/authorize':
        return authorize(url, res);
      case '/token':
        return void token(req).then(({ status, body }) => answer(status, body));
      case '/userinfo':
        return answer(200, { sub: self.claims['sub'], ...self.userInfo });
      default:
        return answer(404, {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return Object.assign(self, {
    issuer,
    clientId,
    clientSecret,
    async visit(departure: string) {
      const { headers } = await fetch(departure, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
