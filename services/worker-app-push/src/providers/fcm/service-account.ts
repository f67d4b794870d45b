/** The fields of Google's service-account file that are needed to send. */
export type ServiceAccount = {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly tokenUri: string;
};

const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';

/** Null if the text is not such a file. */
export function parseServiceAccount(text: string | undefined): ServiceAccount | null {
  let file: Readonly<Record<string, unknown>>;
  try {
    file = JSON.parse(text ?? '') as Record<string, unknown>;
  } catch {
    return null;
  }
  const {
    project_id: projectId,
    client_email: clientEmail,
    private_key: privateKey,
    token_uri: tokenUri = GOOGLE_TOKENS,
  } = file;
  if (
    typeof projectId !== 'string' ||
    typeof clientEmail !== 'string' ||
    typeof privateKey !== 'string' ||
    typeof tokenUri !== 'string'
  )
    return null;
  return { projectId, clientEmail, privateKey, tokenUri };
}
